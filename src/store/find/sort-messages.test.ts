import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newMailbox, newMessage } from '../../../test/support/mail.ts';
import { testDatabase } from '../../../test/support/postgres.ts';
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
