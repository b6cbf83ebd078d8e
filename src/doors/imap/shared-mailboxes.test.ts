/** Members open shared mailboxes below `Shared/`, as far as their grant allows, until it is revoked. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { shareMailbox, unshareMailbox } from '../../mailboxes/sharing/grants.ts';
import { startTestListener } from './listener.fixture.ts';
import { ImapWire } from './wire.fixture.ts';

let listener: Awaited<ReturnType<typeof startTestListener>>;
before(async () => {
  listener = await startTestListener();
});
after(() => listener[Symbol.asyncDispose]());

/** A member's session, and the mailbox that is shared with the member and contains one message. */
async function shared(access: 'read' | 'write') {
  const ann = await listener.stage();
  const info = await listener.stage({ projectId: ann.mailbox.projectId });
  await listener.store.folders(info.mailbox);
  await info.deliver('INBOX', Buffer.from('Subject: a\r\n\r\nHello\r\n'), []);
  const { database } = listener;
  await shareMailbox(database, info.mailbox, { member: ann.user, access, sending: 'none' });
  const wire = await ImapWire.connect(ann);
  await wire.signIn(ann);
  const revoke = () => unshareMailbox(database, info.mailbox, ann.user);
  return { ann, info, wire, revoke, inbox: `"Shared/${info.user}/INBOX"` };
}

test('a member with read access reads, but changes nothing', async () => {
  const { wire, inbox } = await shared('read');
  using _ = wire;
  assert.match((await wire.command('a LIST "" "Shared/%/INBOX"')).join(), /INBOX.*a OK/);
  assert.match((await wire.command(`b SELECT ${inbox}`)).at(-1) ?? '', /b OK \[READ-ONLY\]/);
  assert.match((await wire.command('c FETCH 1 BODY[TEXT]')).join(), /Hello.*c OK/);
  assert.match((await wire.command(`d MYRIGHTS ${inbox}`)).join(), / lr,d OK/);
  for (const [tag, command] of Object.entries({
    e: 'STORE 1 +FLAGS (\\Seen)',
    f: 'MOVE 1 Archive',
    g: `COPY 1 ${inbox}`,
    h: `APPEND ${inbox} {2+}\r\na\n`,
    i: `CREATE ${inbox.replace('INBOX', 'x')}`,
    j: `DELETE ${inbox}`,
    k: `SETACL ${inbox} x lr`,
    l: `GETACL ${inbox}`,
  }))
    assert.match((await wire.command(`${tag} ${command}`)).at(-1) ?? '', / NO /, command);
  assert.match((await wire.command('m COPY 1 Archive')).at(-1) ?? '', /m OK \[COPYUID/);
});

test('a member with write access moves messages to their own mailbox and back', async () => {
  const { wire, inbox, ann, info } = await shared('write');
  using _ = wire;
  assert.match((await wire.command(`a SELECT ${inbox}`)).at(-1) ?? '', /a OK \[READ-WRITE\]/);
  assert.match((await wire.command('b MOVE 1 Archive')).at(-1) ?? '', /b OK/);
  const octets = async (name: string, of: typeof ann) =>
    (await listener.store.folders(of.mailbox)).find((each) => each.name === name)?.messages;
  assert.deepEqual([await octets('Archive', ann), await octets('INBOX', info)], [1, 0]);
  await wire.command('c SELECT Archive');
  assert.match((await wire.command(`d MOVE 1 ${inbox}`)).at(-1) ?? '', /d OK/);
  assert.deepEqual([await octets('Archive', ann), await octets('INBOX', info)], [0, 1]);
});

test('revoking a grant ends a session that has the mailbox open, even in IDLE', async () => {
  const { wire, inbox, revoke } = await shared('write');
  using _ = wire;
  await wire.command(`a SELECT ${inbox}`);
  wire.send('b IDLE\r\n');
  assert.match((await wire.next()) ?? '', /^\+/);
  await revoke();
  assert.match((await wire.rest()).join(), /\* BYE/);
});
