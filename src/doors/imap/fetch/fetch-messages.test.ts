import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newMessage } from '../../../../test/support/mail.ts';
import { type OwnStage, startTestListener } from '../listener.fixture.ts';
import { ImapWire } from '../wire.fixture.ts';

let listener: Awaited<ReturnType<typeof startTestListener>>;
before(async () => {
  listener = await startTestListener();
});
after(() => listener[Symbol.asyncDispose]());

async function selecting(stage: OwnStage): Promise<ImapWire> {
  const wire = await ImapWire.connect(stage);
  await wire.signIn(stage);
  await wire.command('s SELECT INBOX');
  return wire;
}

test('FETCH returns each of more than 1,000 messages once and in order, even if some are large and some are expunged', async () => {
  const stage = await listener.stage();
  const large = new Set([3, 4, 6, 1_001]);
  const all = Array.from({ length: 1_050 }, (_, at) => {
    const preview = `${at + 1}`;
    const envelope = large.has(at + 1) ? `("${'x'.repeat(2_500_000)}")` : '("x")';
    return newMessage(stage.mailbox, { facts: { envelope, preview } });
  });
  for (let at = 0; at < all.length; at += 100) await listener.store.append(all.slice(at, at + 100));
  using wire = await selecting(stage);
  const folders = await listener.store.folders(stage.mailbox);
  const inbox = folders.find(({ role }) => role === 'inbox');
  const expunged = [5, 1_000, 1_050];
  await listener.store.expunge(
    { ...stage.mailbox, folderId: inbox?.id ?? '' },
    { ranges: expunged.map((uid) => ({ first: uid, last: uid })), isDeletedOnly: false },
  );
  const lines = await wire.command('f FETCH 1:* (ENVELOPE PREVIEW)');
  assert.match(lines.pop() ?? '', /^f OK \[EXPUNGEISSUED\]/);
  assert.deepEqual(
    lines.map((line) => line.replace(/x+/, (text) => `${text.length}`)),
    all
      .map((_, at) => at + 1)
      .filter((uid) => !expunged.includes(uid))
      .map((uid) => `* ${uid} FETCH (ENVELOPE ("${large.has(uid) ? 2_500_000 : 1}") PREVIEW "${uid}")`),
  );
});

const HEADERS = [
  'From: a@src.test\r\nReceived: x\r\nTo: b@dst.test,\r\n\tc@dst.test\r\nsubject:  s\r\n',
  'Subject: \xfc\xe9 beyond ASCII\r\nX-Other: y\r\nMessage-ID: <1@src.test>\r\n',
  'From: one\nSubject: LF alone\n',
  `To: ${'many@dst.test, '.repeat(1_000)}\r\nSubject: too long to be kept\r\n`,
  'X-Other: none of them\r\n',
  'SUBJECT: a\r\nSubject : b\r\nSubject:c\r\n',
];
const ITEMS = [
  'BODY.PEEK[HEADER.FIELDS (SUBJECT From message-id)]',
  'BODY.PEEK[HEADER.FIELDS (To)]<3.40> UID',
  'INTERNALDATE BODY.PEEK[HEADER.FIELDS ("to")] RFC822.SIZE BODY.PEEK[HEADER.FIELDS (From)]',
  'BODY.PEEK[HEADER.FIELDS (Subject)] BODY.PEEK[TEXT]',
  'BODY.PEEK[HEADER.FIELDS (Subject X-Other)]',
  'BODY.PEEK[HEADER.FIELDS.NOT (Subject)]',
  'BODY.PEEK[HEADER.FIELDS (Cc)]',
];

test('FETCH returns the same header fields whether header fields are stored for all, some or none of the messages', async () => {
  const stage = await listener.stage();
  for (const header of HEADERS)
    await stage.deliver('INBOX', Buffer.from(`${header}\r\ntext\r\n`, 'latin1'), []);
  const forgetAbove = (octets: number) =>
    listener.database
      .updateTable('messageContents')
      .set({ usualFields: null })
      .where('mailboxId', '=', stage.mailbox.mailboxId)
      .where('octets', '>', octets)
      .execute();
  using wire = await selecting(stage);
  const fetchAll = async () => {
    const answers: string[] = [];
    for (const [at, items] of ITEMS.entries())
      answers.push(...(await wire.command(`f${at} FETCH 1:* (${items})`)));
    return answers;
  };
  const allStored = await fetchAll();
  await forgetAbove(60);
  const someStored = await fetchAll();
  await forgetAbove(0);
  const read = await fetchAll();
  assert.deepEqual(allStored, read);
  assert.deepEqual(someStored, read);
});

test('stored header fields are returned without reading the message, and the message gets \\Seen', async () => {
  const stage = await listener.stage();
  for (const header of HEADERS) await stage.deliver('INBOX', Buffer.from(`${header}\r\n`, 'latin1'), []);
  await listener.database.deleteFrom('blobs').where('projectId', '=', stage.mailbox.projectId).execute();
  using wire = await selecting(stage);
  assert.deepEqual(await wire.command('f FETCH 5:6 BODY[HEADER.FIELDS (Subject)]'), [
    '* 5 FETCH (FLAGS (\\Recent \\Seen) BODY[HEADER.FIELDS (Subject)] {2}"\\r\\n")',
    '* 6 FETCH (FLAGS (\\Recent \\Seen) BODY[HEADER.FIELDS (Subject)] {38}"SUBJECT: a\\r\\nSubject : b\\r\\nSubject:c\\r\\n\\r\\n")',
    'f OK Fetched',
  ]);
});
