import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newMailbox, newMessage } from '../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import type { FolderKey } from './in-folder.ts';
import type { MailboxKey } from './lock-mailboxes.ts';
import { NOT_STORED } from './read-fields.ts';
import { Store } from './store.ts';

let db: TestDatabase;
let store: Store;
before(async () => {
  db = await testDatabase();
  store = new Store(db.database);
});
after(() => db[Symbol.asyncDispose]());

async function inboxOf(mailbox: MailboxKey): Promise<FolderKey> {
  const folders = await store.folders(mailbox);
  return { ...mailbox, folderId: folders.find(({ role }) => role === 'inbox')?.id ?? '' };
}

test('each field of a message is a separate text, in the requested order', async () => {
  const mailbox = await newMailbox(db.database);
  const inbox = await inboxOf(mailbox);
  const internalDate = new Date('2026-11-22T10:00:00.900Z');
  const message = newMessage(mailbox, {
    flags: 5,
    keywords: ['b', 'a'],
    internalDate,
    facts: { envelope: '("ü\t")', bodyStructure: '("x")', preview: 'begin', usualFields: 'From: ü\r' },
  });
  await store.append([newMessage(mailbox), message]);
  const [stored] = await store.messages(inbox, [{ first: 2, last: 2 }]);
  const fields = await store.fields(
    inbox,
    [{ first: 2, last: 9 }],
    [
      'envelope',
      'flags',
      'keywords',
      'modseq',
      'octets',
      'internalDate',
      'saveDate',
      'objectId',
      'threadId',
      'preview',
      'digest',
      'bodyStructure',
      'usualFields',
    ],
  );
  assert.deepEqual(fields.values, [
    '2',
    '("ü\t")',
    '5',
    'a b',
    `${stored?.modseq}`,
    `${message.blob.size}`,
    `${Math.floor(internalDate.getTime() / 1_000)}`,
    `${Math.floor((stored?.saveDate.getTime() ?? 0) / 1_000)}`,
    stored?.objectId,
    stored?.threadId,
    'begin',
    message.blob.digest.toString('hex'),
    '("x")',
    'From: ü\r',
  ]);
  assert.equal(fields.width, 14);
  const others = await store.fields(inbox, [{ first: 1, last: 1 }], ['usualFields']);
  assert.deepEqual(others.values, ['1', NOT_STORED]);
});

test('fields are read by UID, for a thousand messages at a time, and never for messages of another mailbox', async () => {
  const mailbox = await newMailbox(db.database);
  const inbox = await inboxOf(mailbox);
  const uids = async (first: number, last: number) =>
    (await store.fields(inbox, [{ first, last }], ['preview'])).values
      .filter((value) => value !== '')
      .map(Number);
  for (let at = 0; at < 1_003; at += 59)
    await store.append(Array.from({ length: 59 }, () => newMessage(mailbox)));
  await store.expunge(inbox, { ranges: [{ first: 3, last: 3 }], isDeletedOnly: false });
  assert.deepEqual(await uids(2, 5), [2, 4, 5]);
  const some = await uids(1, 2_000);
  assert.deepEqual([some.length, some.at(-1)], [1_000, 1_001]);
  assert.deepEqual(await uids(1_002, 2_000), [1_002, 1_003]);
  const other = await newMailbox(db.database);
  assert.deepEqual((await store.fields({ ...inbox, ...other }, [{ first: 1, last: 9 }], [])).values, []);
});

test('a read of large fields returns a few messages at a time, and always at least one', async () => {
  const mailbox = await newMailbox(db.database);
  const inbox = await inboxOf(mailbox);
  const facts = { envelope: 'x'.repeat(3_000_000) };
  await store.append([1, 2, 3].map(() => newMessage(mailbox, { facts })));
  const counts: number[] = [];
  for (let first = 1; first <= 3; ) {
    const { values, width } = await store.fields(inbox, [{ first, last: 9 }], ['envelope']);
    counts.push(values.length / width);
    first += values.length / width;
  }
  assert.deepEqual(counts, [2, 1]);
});
