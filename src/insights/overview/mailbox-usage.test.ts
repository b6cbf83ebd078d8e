import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newMailbox } from '../../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newSubmission, recipientOf } from '../../../test/support/submissions.ts';
import type { MailboxUsageQuery } from '../../contract/dashboard/usage.ts';
import { DAY_MS } from '../../model/day.ts';
import { encodeId, firstUuidAt, timeOf } from '../../model/ids.ts';
import { monthOf } from '../../model/month.ts';
import { insertSubmissions, type NewSubmission } from '../../sending/submit/insert-submissions.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { readMailboxSending, readMailboxUsage } from './mailbox-usage.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

async function useStorage(mailbox: MailboxKey, octets: number): Promise<void> {
  await db.database
    .insertInto('mailboxStates')
    .values({ ...mailbox, octets, uidValidity: 1 })
    .execute();
}

const sendEmails = (mailbox: Partial<NewSubmission>, count: number) =>
  insertSubmissions(
    db.database,
    Array.from({ length: count }, () => newSubmission(mailbox)),
  );

test('mailboxes are sorted by storage or sent emails and listed in pages, and deleted emails still count as sent', async () => {
  const one = await newMailbox(db.database);
  const { projectId } = one;
  const two = await newMailbox(db.database, { projectId });
  const idle = await newMailbox(db.database, { projectId });
  await sendEmails(await newMailbox(db.database), 5);
  await useStorage(one, 10);
  await useStorage(two, 2_000);
  await sendEmails(one, 3);
  await sendEmails(two, 1);
  await sendEmails({ ...two, kind: 'vacation' }, 4);
  const ids = [one, two, idle].map(({ mailboxId }) => encodeId('mbx', mailboxId));
  const read = (query: Omit<MailboxUsageQuery, 'limit'>, limit = 10) =>
    readMailboxUsage(db.database, projectId, { ...query, limit });
  const order = async (by: MailboxUsageQuery['by']) => {
    const { data } = await read(by === undefined ? {} : { by });
    return data.map(({ id }) => ids.indexOf(id));
  };
  assert.deepEqual(await order(undefined), [1, 0, 2]);
  assert.deepEqual(await order('month'), [0, 1, 2]);
  assert.deepEqual(await order('today'), [0, 1, 2]);
  const paged: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const { data, next_cursor } = await read({ by: 'month', ...(cursor !== undefined && { cursor }) }, 1);
    paged.push(...data.map(({ id }) => id));
    if (next_cursor === null) break;
    cursor = next_cursor;
  }
  assert.deepEqual(paged, ids);
  await assert.rejects(read({ cursor: '1 mbx_x' }), { code: 'validation-failed' });

  const month = monthOf(new Date()).start.toISOString().slice(0, 10);
  await db.database
    .insertInto('deletedSubmissionsOfMailboxes')
    .values({ ...two, month, submissions: 7 })
    .execute();
  const { data } = await read({ by: 'month' });
  assert.deepEqual(
    data.map(({ month_emails, today_emails }) => [month_emails, today_emails]),
    [
      [8, 1],
      [3, 3],
      [0, 0],
    ],
  );
});

test("a mailbox's sending is reported with its daily limit and its recipients of the last 24 hours", async () => {
  const key = await newMailbox(db.database);
  const { projectId, mailboxId } = key;
  const colleague = await newMailbox(db.database, { projectId });
  await db.database
    .updateTable('mailboxes')
    .set({ dailySendLimit: 20 })
    .where('projectId', '=', projectId)
    .where('id', '=', mailboxId)
    .execute();
  const recipients = ['ann@dst.test', 'bob@dst.test'].map((address) => recipientOf(address));
  await sendEmails({ ...key, recipients }, 3);
  await sendEmails({ ...key, kind: 'vacation' }, 1);
  await sendEmails(colleague, 5);
  const twoDaysAgo = firstUuidAt(new Date(Date.now() - 2 * DAY_MS));
  await insertSubmissions(db.database, [newSubmission({ ...key, submissionId: twoDaysAgo })]);
  const inMonth = (uuid: string) => timeOf(uuid) >= monthOf(new Date()).start;
  assert.deepEqual(await readMailboxSending(db.database, key), {
    month_emails: 3 + (inMonth(twoDaysAgo) ? 1 : 0),
    day_recipients: 6,
    daily_send_limit: 20,
  });
  assert.equal(await readMailboxSending(db.database, { ...key, projectId: colleague.mailboxId }), null);
});
