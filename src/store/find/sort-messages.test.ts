import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { newMailbox, newMessage } from '../../../test/support/mail.ts';
import { testDatabase } from '../../../test/support/postgres.ts';
import { readMessageFacts } from '../facts/message-facts.ts';
import { Store } from '../store.ts';
import type { MessageOrder } from './sort-messages.ts';

const MINUTE_MS = 60_000;
const SUBJECTS = [
  'zebra',
  '_a',
  'éclair',
  'eclair',
  'ecz',
  'straße',
  '',
  'Éclair',
  'ångström',
  'angst',
  'ж',
  'Zebra',
];
/** The numbers of the messages, sorted by subject: compared in upper case, and letters with accents after the same letters without. */
const BY_SUBJECT = [7, 10, 9, 4, 5, 3, 8, 6, 1, 12, 2, 11];

test('the sort order is the same whether the messages are a small or a large part of the mailbox', async () => {
  await using db = await testDatabase();
  const store = new Store(db.database);
  const mailbox = await newMailbox(db.database);
  const sentAt = (at: number) => new Date(Date.UTC(2026, 0, 1) + ((at * 7) % SUBJECTS.length) * MINUTE_MS);
  await store.append(
    SUBJECTS.map((baseSubject, at) =>
      newMessage(mailbox, { internalDate: new Date(0), facts: { baseSubject, sentAt: sentAt(at) } }),
    ),
  );
  const folderId = (await store.folders(mailbox)).find(({ role }) => role === 'inbox')?.id ?? '';
  const sorted = async (by: MessageOrder, reverse: boolean) => [
    ...((await store.sort(
      { ...mailbox, folderId },
      [{ first: 1, last: SUBJECTS.length }],
      SUBJECTS.length,
      [{ by, reverse }],
      MINUTE_MS,
    )) ?? []),
  ];
  const byDate = SUBJECTS.map((_, at) => at + 1).sort(
    (a, b) => Number(sentAt(a - 1)) - Number(sentAt(b - 1)),
  );
  const check = async () => {
    assert.deepEqual(await sorted('subject', false), BY_SUBJECT);
    assert.deepEqual(await sorted('date', false), byDate);
    assert.deepEqual(await sorted('date', true), byDate.toReversed());
  };
  await check();
  await store.append(Array.from({ length: 100 }, () => newMessage(mailbox, { folder: { role: 'archive' } })));
  await check();
});

test('the stored order of a large folder is not used after messages arrived or were expunged', async () => {
  await using db = await testDatabase();
  const store = new Store(db.database);
  const mailbox = await newMailbox(db.database);
  const count = 1_000;
  const message = (at: number) =>
    newMessage(mailbox, { facts: { baseSubject: String((at * 7) % count).padStart(4, '0') } });
  await store.append(Array.from({ length: count }, (_, at) => message(at)));
  const folderId = (await store.folders(mailbox)).find(({ role }) => role === 'inbox')?.id ?? '';
  const folder = { ...mailbox, folderId };
  const sorted = async (last: number, messages: number) => [
    ...((await store.sort(
      folder,
      [{ first: 1, last }],
      messages,
      [{ by: 'subject', reverse: false }],
      MINUTE_MS,
    )) ?? []),
  ];
  const before = await sorted(count, count);
  assert.equal(new Set(before).size, count);
  assert.deepEqual(await sorted(count, count), before);
  await store.append([message(0)]);
  // Equal subjects are sorted by UID.
  const withNew = [before[0], count + 1, ...before.slice(1)];
  assert.deepEqual(await sorted(count + 1, count + 1), withNew);
  await store.expunge(folder, { ranges: [{ first: 1, last: 1 }], isDeletedOnly: false });
  assert.deepEqual(await sorted(count + 1, count), withNew.slice(1));
});

const ADDRESSES = [
  'b@y.test',
  'Zoe <c@x.test>',
  '"b@a" <"d@e"@x.test>',
  'anna',
  '<a@[127.0.0.1]>',
  'Friends: b@y.test, Zoe <c@x.test>;',
  'Écluse: ;',
  'x@y.test, Friends: b@y.test;',
  '=?utf-8?q?=C3=A9cz?= <E@x.test>',
  '=?utf-8?q?a=0A=0Db?= <F@x.test>',
  '"a\\"b" <straße@x.test>',
  '',
  '@@',
  'ﬀ@x.test',
];

test('messages that older code stored are sorted among new ones as if they were new', async () => {
  await using db = await testDatabase();
  const store = new Store(db.database);
  const mailbox = await newMailbox(db.database);
  const count = ADDRESSES.length;
  const address = (at: number) => ADDRESSES[at % count] ?? '';
  await store.append(
    ADDRESSES.map((from, at) => {
      const head = [`From: ${from}`, `To: ${address(at + 3)}`, `Cc: ${address(at * 5)}, ${address(at)}`];
      return newMessage(mailbox, {
        facts: readMessageFacts(Buffer.from(`${head.join('\r\n')}\r\n\r\n`)),
      });
    }),
  );
  const folderId = (await store.folders(mailbox)).find(({ role }) => role === 'inbox')?.id ?? '';
  const sorted = async () => {
    const orders: Record<string, number[]> = {};
    for (const by of ['from', 'to', 'cc', 'shown-from', 'shown-to'] as const) {
      const ranges = [{ first: 1, last: count }];
      const folder = { ...mailbox, folderId };
      const uids = await store.sort(folder, ranges, count, [{ by, reverse: false }], MINUTE_MS);
      orders[by] = [...(uids ?? [])];
    }
    return orders;
  };
  const stored = await sorted();
  for (const every of [2, 1]) {
    await sql`update message_contents c set sort_keys = null from messages m
      where m.object_id = c.object_id and m.uid % ${every} = 0`.execute(db.database);
    assert.deepEqual(await sorted(), stored);
  }
});
