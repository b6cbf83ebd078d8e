/** Members open shared mailboxes below `Shared/`, as far as their grant allows, until it is revoked. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
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
    assert.match((await wire.command(`${tag} ${command}`)).at(-1) ?? '', / NO \[NOPERM\]/, command);
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

test('a shared mailbox is listed with its counts and the quota of its owner', async () => {
  const { wire, inbox, info } = await shared('write');
  using _ = wire;
  assert.match((await wire.command('a NAMESPACE')).join(), /\(\("" "\/"\)\) NIL \(\("Shared\/" "\/"\)\)/);
  const listed = await wire.command('b LIST "" "Shared/*" RETURN (STATUS (MESSAGES) SPECIAL-USE)');
  assert.match(listed.join('\n'), new RegExp(`LIST \\(\\) "/" "?Shared/${info.user}/INBOX`));
  assert.match(listed.join('\n'), new RegExp(`STATUS "?Shared/${info.user}/INBOX"? \\(MESSAGES 1\\)`));
  // Apps must not store their own sent mail or drafts in the folders of a shared mailbox.
  assert.doesNotMatch(listed.join('\n'), /\\Sent|\\Drafts|\\Trash/);
  await wire.command('c SUBSCRIBE ' + inbox);
  assert.match((await wire.command('d LSUB "" "Shared/*"')).join(), /INBOX/);
  const bytes = Buffer.alloc(3 * 1024, 'a\r\n');
  assert.match((await wire.command(`e APPEND ${inbox} {${bytes.length}+}\r\n${bytes}`)).at(-1) ?? '', /e OK/);
  const shown = (await wire.command(`f GETQUOTAROOT ${inbox}`)).join('\n');
  assert.match(shown, new RegExp(`QUOTA "?Shared/${info.user}"? \\(STORAGE 4 `));
  assert.match((await wire.command('g GETQUOTA ""')).join(), /STORAGE 0 /);
});

test('a member cannot open other mailboxes of the project, and the owner of the shared mailbox cannot open theirs', async () => {
  const { wire, ann, info } = await shared('write');
  using _ = wire;
  const other = await listener.stage({ projectId: ann.mailbox.projectId });
  assert.match((await wire.command(`a SELECT "Shared/${other.user}/INBOX"`)).at(-1) ?? '', /a NO/);
  using owner = await ImapWire.connect(info);
  await owner.signIn(info);
  assert.match((await owner.command(`b SELECT "Shared/${ann.user}/INBOX"`)).at(-1) ?? '', /b NO/);
  assert.match((await owner.command('c GETACL INBOX')).join(), new RegExp(`${ann.user} lrswikxtecd`));
});

test('after a grant is revoked, the next command of a session that has not used it is rejected', async () => {
  const { wire, inbox, revoke } = await shared('write');
  using _ = wire;
  await revoke();
  for (const command of [`STATUS ${inbox} (MESSAGES)`, `SELECT ${inbox}`, `APPEND ${inbox} {1+}\r\na`])
    assert.match((await wire.command(`a ${command}`)).at(-1) ?? '', /a NO/, command);
  assert.doesNotMatch((await wire.command('b LIST "" "*"')).join(), /Shared/);
});

test('a command reads the grant again if its folder was selected before, without waiting for a notice', async () => {
  const { wire, inbox, info, revoke } = await shared('read');
  using _ = wire;
  await wire.command(`a SELECT ${inbox}`);
  const { database } = listener;
  await sql`alter table mailbox_grants disable trigger mailbox_grants_revoked`.execute(database);
  await revoke();
  await sql`alter table mailbox_grants enable trigger mailbox_grants_revoked`.execute(database);
  await info.deliver('INBOX', Buffer.from('Subject: b\r\n\r\nLink\r\n'), []);
  wire.send('b UID FETCH 1:* BODY[TEXT]\r\n');
  const rest = (await wire.rest()).join();
  assert.match(rest, /\* BYE/);
  assert.doesNotMatch(rest, /Hello|Link/);
});

test('a session that copies into a shared mailbox ends when the grant is revoked', async () => {
  const { wire, inbox, ann, revoke } = await shared('write');
  using _ = wire;
  await ann.deliver('INBOX', Buffer.from('Subject: b\r\n\r\nb\r\n'), []);
  await wire.command('a SELECT INBOX');
  assert.match((await wire.command(`b COPY 1 ${inbox}`)).at(-1) ?? '', /b OK \[COPYUID/);
  wire.send('c IDLE\r\n');
  assert.match((await wire.next()) ?? '', /^\+/);
  await revoke();
  assert.match((await wire.rest()).join(), /\* BYE/);
});

test('the level of all shared mailboxes is listed for `%`, but not for `*`', async () => {
  const { wire, info } = await shared('read');
  using _ = wire;
  const level = /LIST \([^)]*\) "\/" "?Shared"?$/m;
  for (const pattern of ['%', 'Shared', 'Sh%'])
    assert.match((await wire.command(`a LIST "" "${pattern}"`)).join('\n'), level, pattern);
  for (const pattern of ['*', 'Sh*', '*d']) {
    const listed = (await wire.command(`b LIST "" "${pattern}"`)).join('\n');
    assert.doesNotMatch(listed, level, pattern);
  }
  assert.match((await wire.command('c LIST "" "*"')).join('\n'), new RegExp(`Shared/${info.user}/INBOX`));
  // An own folder with this name is always listed.
  await wire.command('d CREATE Shared');
  assert.match((await wire.command('e LIST "" "*"')).join('\n'), level);
});

test("no folder of one's own can have the name of a shared mailbox", async () => {
  const { wire, info } = await shared('write');
  using _ = wire;
  for (const command of [`CREATE "Shared/x@y.example/a"`, `RENAME Archive "Shared/x@y.example"`])
    assert.match((await wire.command(`a ${command}`)).at(-1) ?? '', /a NO \[CANNOT\]/, command);
  // Neither through a child that is renamed with its parent, nor in a mailbox of which one is a member.
  await wire.command('e CREATE "Team/x@y.example"');
  assert.match((await wire.command('f RENAME Team Shared')).at(-1) ?? '', /f NO \[CANNOT\]/);
  const nested = `g CREATE "Shared/${info.user}/Shared/x@y.example"`;
  assert.match((await wire.command(nested)).at(-1) ?? '', /g NO \[CANNOT\]/);
  assert.match((await wire.command('b CREATE Shared/plans')).at(-1) ?? '', /b OK/);
  assert.match((await wire.command(`c CREATE "Shared/${info.user}/plans"`)).at(-1) ?? '', /c OK/);
  assert.match((await wire.command(`d RENAME Shared/plans "Shared/${info.user}/p"`)).at(-1) ?? '', /d NO/);
});
