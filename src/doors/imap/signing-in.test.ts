/** Connections before sign-in, sessions after a password change, read-only app passwords and grants. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { setPassword } from '../../mailboxes/set-password.ts';
import { shareMailbox } from '../../mailboxes/sharing/grants.ts';
import { createAppPassword } from '../../mailboxes/sign-in/app-passwords.ts';
import { COMMANDS } from './commands/index.ts';
import { type OwnStage, startTestListener } from './listener.fixture.ts';
import { FAREWELLS } from './responses.ts';
import { ImapWire } from './wire.fixture.ts';

type Listener = Awaited<ReturnType<typeof startTestListener>>;
let listener: Listener;
before(async () => {
  listener = await startTestListener();
});
after(() => listener[Symbol.asyncDispose]());

async function signedIn(stage: OwnStage): Promise<ImapWire> {
  const wire = await ImapWire.connect(stage);
  await wire.signIn(stage);
  return wire;
}

describe('before sign-in', () => {
  test('a new connection displaces a connection before sign-in, but not a signed-in connection', async () => {
    await using few = await startTestListener({ connections: 2, halfLifeMs: 0.05 });
    const stage = await few.stage();
    using owner = await signedIn(stage);
    owner.send('a IDLE\r\n');
    assert.equal(await owner.next(), '+ Idling');
    const endpoint = { host: '127.0.0.1', port: few.port };
    using stranger = await ImapWire.connect(endpoint);
    assert.match((await stranger.next()) ?? '', /^\* OK/);
    using other = await ImapWire.connect(endpoint);
    assert.match((await other.next()) ?? '', /^\* OK/);
    assert.equal(await stranger.next(), FAREWELLS.displaced);
    owner.send('DONE\r\n');
    assert.equal(await owner.next(), 'a OK Done');
  });

  test('a connection ends after the sign-in timeout', async () => {
    await using hasty = await startTestListener({ signInMs: 20 });
    using wire = await ImapWire.connect({ host: '127.0.0.1', port: hasty.port });
    await wire.next();
    assert.equal(await wire.next(), FAREWELLS.signInLate);
    assert.equal(await wire.next(), null);
  });

  test('the maximum line length is lower before sign-in than after sign-in', async () => {
    const stage = await listener.stage();
    const line = `a ${'X'.repeat(40_000)}`;
    using stranger = await ImapWire.connect(stage);
    await stranger.next();
    assert.deepEqual(await stranger.command(line), [FAREWELLS.lineTooLong]);
    using owner = await signedIn(stage);
    assert.match((await owner.command(line)).at(-1) ?? '', /^a BAD/);
  });

  test('three throttled sign-in attempts end the connection', async () => {
    const stage = await listener.stage();
    const throttled = {
      signIn: async () => ({ outcome: 'try-later', afterSeconds: 7, reason: 'guesses' }) as const,
    };
    await using closed = await startTestListener({}, { signIn: throttled });
    using wire = await ImapWire.connect({ ...stage, port: closed.port });
    await wire.next();
    const login = 'a LOGIN anna@a.example secret';
    for (let n = 0; n < 2; n++)
      assert.match((await wire.command(login)).at(-1) ?? '', /^a NO \[UNAVAILABLE\] .* 7 seconds$/);
    assert.match((await wire.command(login)).at(-1) ?? '', /^a NO/);
    assert.equal(await wire.next(), FAREWELLS.tooManyFailures);
  });
});

test('a new password ends sessions of the old password, but not sessions of app passwords', async () => {
  const stage = await listener.stage();
  const { mailbox } = stage;
  const { password } = await createAppPassword(listener.database, mailbox, { name: 'phone', access: 'read' });
  using app = await signedIn({ ...stage, password });
  using owner = await signedIn(stage);
  owner.send('a IDLE\r\n');
  assert.equal(await owner.next(), '+ Idling');
  await setPassword(listener.database, mailbox, 'another password');
  assert.equal(await owner.next(), FAREWELLS.signInEnded);
  assert.equal(await owner.next(), null);
  assert.match((await app.command('b NOOP')).at(-1) ?? '', /^b OK/);
});

/** Commands that may change a mailbox, by verb. The folder must have a message with \Deleted. */
const SENT = {
  SELECT: ['SELECT INBOX'],
  FETCH: ['FETCH 1 (FLAGS BODY[] RFC822 BODY[TEXT])', 'FETCH 1 BINARY[1]', 'UID FETCH 1:* BODY[]'],
  STORE: ['STORE 1 +FLAGS (\\Seen)', 'STORE 1 -FLAGS.SILENT (\\Deleted)', 'UID STORE 1:* FLAGS (mine)'],
  EXPUNGE: ['EXPUNGE', 'UID EXPUNGE 1:*'],
  COPY: ['COPY 1 Archive', 'UID COPY 1:* Archive'],
  MOVE: ['MOVE 1 Archive', 'UID MOVE 1:* Archive'],
  APPEND: ['APPEND INBOX {14+}\r\nSubject: b\r\n\r\n'],
  REPLACE: ['REPLACE 1 INBOX {14+}\r\nSubject: b\r\n\r\n'],
  CREATE: ['CREATE mine'],
  DELETE: ['DELETE theirs'],
  RENAME: ['RENAME theirs mine', 'RENAME INBOX mine'],
  SUBSCRIBE: ['SUBSCRIBE Junk'],
  UNSUBSCRIBE: ['UNSUBSCRIBE INBOX'],
  SETQUOTA: ['SETQUOTA "" (STORAGE 1)'],
  SETACL: ['SETACL INBOX x lr'],
  DELETEACL: ['DELETEACL INBOX x'],
  LIST: ['LIST "" * RETURN (STATUS (MESSAGES UNSEEN))'],
  LSUB: ['LSUB "" *'],
  STATUS: ['STATUS Sent (MESSAGES)'],
  SEARCH: ['SEARCH RETURN (SAVE) ALL', 'SEARCH ALL'],
  SORT: ['SORT (DATE) UTF-8 ALL'],
  THREAD: ['THREAD REFERENCES UTF-8 ALL'],
  CHECK: ['CHECK'],
  CLOSE: ['CLOSE', 'EXAMINE INBOX', 'SELECT Sent', 'SELECT INBOX'],
  UNSELECT: ['UNSELECT', 'LOGOUT'],
};
/** Commands that never change a mailbox. */
const HARMLESS = [
  'CAPABILITY',
  'NOOP',
  'ID',
  'LOGOUT',
  'STARTTLS',
  'LOGIN',
  'AUTHENTICATE',
  'ENABLE',
  'COMPRESS',
  'EXAMINE',
  'NAMESPACE',
  'GETQUOTA',
  'GETQUOTAROOT',
  'GETACL',
  'MYRIGHTS',
  'LISTRIGHTS',
  'IDLE',
];

const FOLDERS_IN_COMMANDS = /(?<= )(?:INBOX|Archive|Junk|Sent|mine|theirs)\b/g;

for (const [name, sessionOf] of [
  [
    'a read-only app password',
    async (stage: OwnStage) => {
      const { database } = listener;
      const made = await createAppPassword(database, stage.mailbox, { name: 'tv', access: 'read' });
      return { wire: await signedIn({ ...stage, password: made.password }), prefix: '' };
    },
  ],
  [
    'a grant to read the mailbox',
    async (stage: OwnStage) => {
      const member = await listener.stage({ projectId: stage.mailbox.projectId });
      const right = { member: member.user, access: 'read', sending: 'as' } as const;
      await shareMailbox(listener.database, stage.mailbox, right);
      return { wire: await signedIn(member), prefix: `Shared/${stage.user}/` };
    },
  ],
] as const)
  test(`no command can change a mailbox with ${name}`, async () => {
    assert.deepEqual([...Object.keys(SENT), ...HARMLESS].toSorted(), Object.keys(COMMANDS).toSorted());
    const stage = await listener.stage();
    const { mailbox } = stage;
    await listener.store.createFolder(mailbox, { name: 'theirs' });
    await stage.deliver('INBOX', Buffer.from('Subject: a\r\n\r\nText\r\n'), ['\\Deleted']);
    const state = async () => {
      const { database } = listener;
      const of = ['folders', 'messages', 'expunged'] as const;
      const tables = of.map((table) =>
        database
          .selectFrom(table)
          .selectAll()
          .where('mailboxId', '=', mailbox.mailboxId)
          .orderBy(sql`1, 2, 3, 4`)
          .execute(),
      );
      return JSON.stringify(await Promise.all(tables));
    };
    const before = await state();
    const { wire, prefix } = await sessionOf(stage);
    using _ = wire;
    for (const line of Object.values(SENT).flat()) {
      const sent = line.replaceAll(FOLDERS_IN_COMMANDS, (folder) => `"${prefix}${folder}"`);
      const answer = (await wire.command(`a ${sent}`)).at(-1) ?? '';
      assert.match(answer, /^a (?:OK|NO)/, sent);
      assert.equal(await state(), before, `${sent}: ${answer}`);
    }
  });
