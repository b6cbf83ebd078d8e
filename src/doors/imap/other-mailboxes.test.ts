/** Isolation of mailboxes: no name or id in a command reaches another mailbox. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { COMMANDS } from './commands/index.ts';
import { type OwnStage, startTestListener } from './listener.fixture.ts';
import { ImapWire } from './wire.fixture.ts';

type Listener = Awaited<ReturnType<typeof startTestListener>>;

let listener: Listener;
before(async () => {
  listener = await startTestListener();
});
after(() => listener[Symbol.asyncDispose]());

/** A word that appears only in the other mailbox, in a subject, an address, a text, a keyword and a folder name. */
const SECRET = 'xylophonist';
const MESSAGE = `From: ${SECRET}@other.example\r\nSubject: ${SECRET}\r\nMessage-ID: <${SECRET}@other.example>\r\n\r\n${SECRET}\r\n`;

/** The ids of the folder and the message of the other mailbox, from a session of that mailbox. */
async function idsOf(stage: OwnStage): Promise<Record<'mailboxId' | 'emailId' | 'threadId', string>> {
  using wire = await ImapWire.connect(stage);
  await wire.signIn(stage);
  const status = (await wire.command(`a STATUS ${SECRET} (MAILBOXID)`)).join('\n');
  await wire.command(`b SELECT ${SECRET}`);
  const fetched = (await wire.command('c FETCH 1 (EMAILID THREADID)')).join('\n');
  const found = (pattern: RegExp, text: string) => pattern.exec(text)?.[1] ?? assert.fail(text);
  return {
    mailboxId: found(/MAILBOXID \((\S+?)\)/, status),
    emailId: found(/EMAILID \((\S+?)\)/, fetched),
    threadId: found(/THREADID \((\S+?)\)/, fetched),
  };
}

/** Commands with names and ids of the other mailbox, and the expected status. Responses must not contain mail of the other mailbox. */
const ATTEMPTS: readonly [command: string, status: 'OK' | 'NO' | 'BAD' | 'any'][] = [
  ['CAPABILITY', 'OK'],
  ['NOOP', 'OK'],
  ['ID NIL', 'OK'],
  ['NAMESPACE', 'OK'],
  ['ENABLE CONDSTORE', 'OK'],
  ['LOGIN {user} "wrong password"', 'BAD'],
  ['AUTHENTICATE PLAIN =', 'BAD'],
  ['STARTTLS', 'any'],
  ['COMPRESS NONE', 'any'],
  ...[
    SECRET,
    '{mailboxId}',
    '~{user}/INBOX',
    '{user}/INBOX',
    '#user/{user}/INBOX',
    'Shared/{user}/INBOX',
    `Shared/{user}/${SECRET}`,
    'INBOX/../{mailboxId}',
  ].flatMap((name): [string, 'NO' | 'any'][] => [
    [`SELECT "${name}"`, 'NO'],
    [`EXAMINE "${name}"`, 'NO'],
    [`STATUS "${name}" (MESSAGES UIDNEXT MAILBOXID)`, 'NO'],
    [`DELETE "${name}"`, 'NO'],
    [`RENAME "${name}" mine`, 'NO'],
    [`SUBSCRIBE "${name}"`, 'NO'],
    [`UNSUBSCRIBE "${name}"`, 'any'],
    [`GETQUOTAROOT "${name}"`, 'any'],
    [`GETQUOTA "${name}"`, 'any'],
    [`SETQUOTA "${name}" (STORAGE 1)`, 'any'],
    [`GETACL "${name}"`, 'NO'],
    [`MYRIGHTS "${name}"`, 'NO'],
    [`LISTRIGHTS "${name}" {user}`, 'NO'],
    [`SETACL "${name}" {user} lr`, 'NO'],
    [`DELETEACL "${name}" {user}`, 'NO'],
    [`LIST "" "${name}*"`, 'any'],
    [`LSUB "" "${name}*"`, 'any'],
    [`APPEND "${name}" {2+}\r\na\n`, 'any'],
  ]),
  ['LIST "" (* % "{user}/%" "*/*") RETURN (SUBSCRIBED CHILDREN SPECIAL-USE STATUS (MESSAGES))', 'OK'],
  ['LSUB "" *', 'OK'],
  ['SELECT INBOX', 'OK'],
  [`COPY 1 ${SECRET}`, 'NO'],
  [`UID COPY 1:* {mailboxId}`, 'NO'],
  [`MOVE 1 ${SECRET}`, 'NO'],
  [`UID MOVE 1:* {mailboxId}`, 'NO'],
  [`REPLACE 1 ${SECRET} {2+}\r\na\n`, 'NO'],
  ['FETCH 1:* (FLAGS ENVELOPE BODYSTRUCTURE BODY[] EMAILID THREADID MODSEQ PREVIEW)', 'OK'],
  ['UID FETCH 1:4294967295 (BODY[])', 'OK'],
  ['UID FETCH 2:4294967295 (BODY[])', 'OK'],
  ...[
    'EMAILID {emailId}',
    'THREADID {threadId}',
    `TEXT ${SECRET}`,
    `BODY ${SECRET}`,
    `SUBJECT ${SECRET}`,
    `FROM ${SECRET}`,
    `HEADER Message-ID ${SECRET}`,
    `KEYWORD ${SECRET}`,
  ].flatMap((criteria): [string, 'OK'][] => [
    [`SEARCH RETURN (COUNT ALL) ${criteria}`, 'OK'],
    [`UID SEARCH ${criteria}`, 'OK'],
    [`SORT (DATE) UTF-8 ${criteria}`, 'OK'],
    [`THREAD REFERENCES UTF-8 ${criteria}`, 'OK'],
  ]),
  ['UID STORE 2:4294967295 +FLAGS.SILENT (\\Deleted)', 'OK'],
  ['UID EXPUNGE 2:4294967295', 'OK'],
  ['EXPUNGE', 'OK'],
  ['SELECT INBOX (QRESYNC (1 1))', 'any'],
  ['CHECK', 'OK'],
  ['CLOSE', 'OK'],
  ['SELECT INBOX', 'OK'],
  ['UNSELECT', 'OK'],
  [`CREATE ${SECRET}`, 'OK'],
  [`STATUS ${SECRET} (MESSAGES)`, 'OK'],
  [`DELETE ${SECRET}`, 'OK'],
];

/** Commands that are not attempted, because IDLE and LOGOUT take no names. */
const NOT_ATTEMPTED = ['IDLE', 'LOGOUT'];

test('no command reveals or changes anything in another mailbox', async () => {
  const other = await listener.stage();
  const own = await listener.stage({ projectId: other.mailbox.projectId });
  const { store } = listener;
  await store.createFolder(other.mailbox, { name: SECRET });
  await other.deliver(SECRET, Buffer.from(MESSAGE), [SECRET]);
  await own.deliver('INBOX', Buffer.from('Subject: mine\r\n\r\nmine\r\n'), []);
  const ids = { user: other.user, ...(await idsOf(other)) };
  const before = await contentOf(other);
  const responses: string[] = [];
  const unexpected: string[] = [];
  using wire = await ImapWire.connect(own);
  await wire.signIn(own);
  for (const [at, [text, status]] of ATTEMPTS.entries()) {
    const command = text.replace(/\{(\w*[a-zA-Z]\w*)\}/g, (_, name: keyof typeof ids) => ids[name]);
    const lines = await wire.command(`t${at} ${command}`);
    const answer = lines.at(-1) ?? '';
    if (status !== 'any' && !answer.startsWith(`t${at} ${status}`))
      unexpected.push(`${command}: ${lines.join('\n')}`);
    // Responses may echo the names in the command.
    if (!command.includes(SECRET)) responses.push(...lines);
    const data = lines.filter((line) => /^\* (?:\d+ FETCH|ESEARCH|SEARCH|SORT|THREAD|STATUS)/.test(line));
    for (const line of data) assert.ok(!line.includes(ids.emailId) && !line.includes(ids.threadId), line);
    for (const line of data.filter((each) => /^\* (?:ESEARCH|SEARCH|SORT|THREAD)/.test(each)))
      assert.match(line, /^\* (?:ESEARCH.*COUNT 0|SEARCH|SORT|THREAD)$/);
  }
  assert.deepEqual(unexpected, []);
  assert.deepEqual(
    responses.filter((line) => line.includes(SECRET)),
    [],
  );
  assert.deepEqual(await contentOf(other), before);
  const attempted = new Set(ATTEMPTS.map(([command]) => command.replace(/^UID /, '').split(' ')[0]));
  const missing = Object.keys(COMMANDS).filter(
    (name) => !attempted.has(name) && !NOT_ATTEMPTED.includes(name),
  );
  assert.deepEqual(missing, []);
});

async function contentOf({ mailbox }: OwnStage): Promise<unknown> {
  const folders = await listener.store.folders(mailbox);
  const flags = await Promise.all(
    folders.map(({ id }) =>
      listener.store.flags({ ...mailbox, folderId: id }, [{ first: 1, last: Number.POSITIVE_INFINITY }]),
    ),
  );
  return { folders, flags };
}
