import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newMailbox, newMessage } from '../../../test/support/mail.ts';
import { testDatabase } from '../../../test/support/postgres.ts';
import { Store } from '../store.ts';

test('replies have the ids, subject and time of each message, whatever the subject contains', async () => {
  await using db = await testDatabase();
  const store = new Store(db.database);
  const mailbox = await newMailbox(db.database);
  const sentAt = new Date('2026-11-20T15:00:00.250Z');
  const received = new Date('1969-07-20T20:17:40Z');
  await store.append([
    newMessage(mailbox, {
      facts: {
        messageId: '<a@b>',
        ancestors: ['<c@d>', '<e@f>'],
        subject: 'Re: one\ntwo',
        baseSubject: 'one two',
        sentAt,
      },
    }),
    newMessage(mailbox, { internalDate: received }),
    newMessage(mailbox, { facts: { messageId: '<g@h>', subject: 'Grüße', baseSubject: 'grüße', sentAt } }),
  ]);
  const folderId = (await store.folders(mailbox)).find(({ role }) => role === 'inbox')?.id ?? '';
  const folder = { ...mailbox, folderId };
  assert.deepEqual(await store.answers(folder, [{ first: 1, last: 3 }]), {
    uids: Uint32Array.of(1, 2, 3),
    messageIds: ['<a@b>', '', '<g@h>'],
    ancestors: ['<c@d> <e@f>', '', ''],
    subjects: ['Re: one two', '', 'Grüße'],
    baseSubjects: ['one two', '', 'grüße'],
    sentAt: Float64Array.of(sentAt.getTime() / 1_000, received.getTime() / 1_000, sentAt.getTime() / 1_000),
  });
  assert.equal((await store.answers(folder, [{ first: 9, last: 12 }])).uids.length, 0);
});
