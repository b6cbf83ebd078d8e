import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { newMailbox } from '../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { newProject } from '../../test/support/projects.ts';
import { deleteRows, emptyQueue } from '../../test/support/queue-rows.ts';
import { newSubmission, recipientOf } from '../../test/support/submissions.ts';
import { readUsage } from '../accounts/usage.ts';
import { DAY_MS } from '../model/day.ts';
import { firstUuidAt, newUuid, timeOf } from '../model/ids.ts';
import { monthOf } from '../model/month.ts';
import { insertSubmissions, type NewSubmission } from '../sending/submit/insert-submissions.ts';
import { deletingSubmissions } from './delete-submissions.ts';
import { findRemovals, removing } from './removals.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
beforeEach(() => emptyQueue(db.database));
after(() => db[Symbol.asyncDispose]());

function sent(daysAgo: number, fields: Partial<NewSubmission> = {}): NewSubmission {
  const submissionId =
    firstUuidAt(new Date(Date.now() - daysAgo * DAY_MS)).slice(0, 19) + newUuid().slice(19);
  return newSubmission({ ...fields, submissionId });
}

async function runJob(chore: AsyncGenerator<number>): Promise<number> {
  let deleted = 0;
  for await (const count of chore) deleted += count;
  return deleted;
}

async function left(table: 'submissions' | 'submissionRecipients' | 'queue'): Promise<number> {
  return (await db.database.selectFrom(table).selectAll().execute()).length;
}

test('finished submissions are deleted after a week, unless a recipient, notice or failed forward is pending', async () => {
  const projectId = await newProject(db.database);
  const [over, young, waiting, noticeDue] = [8, 6, 8, 8].map((days) => sent(days, { projectId })) as [
    NewSubmission,
    NewSubmission,
    NewSubmission,
    NewSubmission,
  ];
  const vacation = sent(8, { projectId, kind: 'vacation' });
  const moved = sent(8, { projectId, kind: 'moved' });
  const all = [over, young, waiting, noticeDue, vacation, moved];
  await insertSubmissions(db.database, all);
  for (const one of all) if (one !== waiting) await deleteRows(db.database, { emailId: one.submissionId });
  await db.database
    .updateTable('submissionRecipients')
    .set({ noticeDue: true })
    .where('submissionId', '=', noticeDue.submissionId)
    .execute();
  await sql`insert into failed_forwards values (${projectId}, ${moved.submissionId})`.execute(db.database);
  const month = monthOf(timeOf(over.submissionId));
  const { mailboxEmails } = await readUsage(db.database, projectId, month);
  assert.equal(await runJob(deletingSubmissions(db.database)), 2);
  const rows = await db.database.selectFrom('submissions').select('id').execute();
  assert.deepEqual(
    rows.map(({ id }) => id).sort(),
    [young, waiting, noticeDue, moved].map(({ submissionId }) => submissionId).sort(),
  );
  assert.equal(await left('submissionRecipients'), 4);
  assert.equal((await readUsage(db.database, projectId, month)).mailboxEmails, mailboxEmails);
});

test('a deleted submission still counts towards the usage of its mailbox and month', async () => {
  const mailbox = await newMailbox(db.database);
  const old = [sent(8, mailbox), sent(8, mailbox), sent(8, { ...mailbox, kind: 'vacation' })];
  await insertSubmissions(db.database, old);
  for (const { submissionId } of old) await deleteRows(db.database, { emailId: submissionId });
  await runJob(deletingSubmissions(db.database));
  const { rows } = await sql<{ month: string; submissions: number }>`
    select month::text, submissions from deleted_submissions_of_mailboxes where mailbox_id = ${mailbox.mailboxId}`.execute(
    db.database,
  );
  const month = monthOf(timeOf(old[0]?.submissionId ?? ''))
    .start.toISOString()
    .slice(0, 10);
  assert.deepEqual(rows, [{ month, submissions: 2 }]);
});

test('the sent and queued mail of a deleted mailbox is deleted, but still counts towards the usage of the project', async () => {
  const mailbox = await newMailbox(db.database);
  const other = sent(0, { projectId: mailbox.projectId });
  const recipients = ['a@dst.test', 'b@dst.test'].map(recipientOf);
  await insertSubmissions(db.database, [
    sent(0, { ...mailbox, recipients }),
    sent(0, { ...mailbox, recipients }),
    other,
  ]);
  await db.database.deleteFrom('mailboxes').where('id', '=', mailbox.mailboxId).execute();
  for (const removal of await findRemovals(db.database)) await runJob(removing(db.database, removal));
  assert.deepEqual(
    [await left('submissions'), await left('submissionRecipients'), await left('queue')],
    [1, 1, 1],
  );
  const { mailboxEmails } = await readUsage(db.database, mailbox.projectId, monthOf(new Date()));
  assert.equal(mailboxEmails, 3);
});
