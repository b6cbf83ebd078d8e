import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newEmail, PROJECT, queueEmails } from '../../../test/support/emails.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { deleteRows, emptyQueue, park, rowsOf, setCrashes } from '../../../test/support/queue-rows.ts';
import { EMAIL_STAGES } from '../../model/email-status.ts';
import { newUuid, timeOf } from '../../model/ids.ts';
import { MAX_CRASHES } from '../../queue/end-lease.ts';
import { insertEmails } from '../accept/insert-emails.ts';
import { requeue } from './requeue.ts';
import { countWaiting, withdrawOlder } from './withdraw.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

async function abandonedEmail(): Promise<string> {
  const { database } = db;
  const email = newEmail({ recipients: ['a@x.test', 'b@x.test'] });
  await insertEmails(database, [email]);
  const { emailId } = email;
  await deleteRows(database, { emailId });
  await setCrashes(database, MAX_CRASHES, { emailId, address: 'a@x.test' });
  return emailId;
}

test('an abandoned recipient is queued again once, and the other recipient is not', async () => {
  const emailId = await abandonedEmail();
  assert.equal(await requeue(db.database, PROJECT, emailId), 1);
  assert.equal(await requeue(db.database, PROJECT, emailId), 0);
  const due = (await rowsOf(db.database, { emailId })).filter(({ nextAttemptAt }) => nextAttemptAt !== null);
  assert.deepEqual(
    due.map(({ recipientIndex, crashes }) => [recipientIndex, crashes]),
    [[0, 0]],
  );
});

test('requeue changes no email that is still queued or belongs to another project', async () => {
  const [queued] = await queueEmails(db.database, 1);
  assert.equal(await requeue(db.database, PROJECT, queued?.emailId ?? ''), 0);
  assert.equal(await requeue(db.database, newUuid(), await abandonedEmail()), 0);
});

test('waiting recipients of older emails are withdrawn with an event, parked or not, and newer emails stay queued', async () => {
  await emptyQueue(db.database);
  const two = newEmail({ recipients: ['a@x.test', 'b@x.test'] });
  const parked = newEmail({ recipients: ['c@away.test'] });
  await insertEmails(db.database, [two, parked]);
  await park(db.database, 'away.test', { emailId: parked.emailId });
  const done = newEmail();
  await insertEmails(db.database, [done]);
  await deleteRows(db.database, { emailId: done.emailId });
  const since = new Date(timeOf(done.emailId).getTime() + 1);
  const newer = newEmail({ emailId: newUuid(since.getTime()) });
  await insertEmails(db.database, [newer]);

  assert.deepEqual(await countWaiting(db.database, since), { all: 4, older: 3 });
  assert.deepEqual(await withdrawOlder(db.database, since), { withdrawn: 3, isDone: true });
  assert.deepEqual(await countWaiting(db.database, since), { all: 1, older: 0 });
  const { status } = await db.database
    .selectFrom('emails')
    .select('status')
    .where('id', '=', two.emailId)
    .executeTakeFirstOrThrow();
  assert.equal(EMAIL_STAGES[status], 'failed');
  const events = await db.database
    .selectFrom('events')
    .select(['type', 'detail'])
    .where('emailId', '=', two.emailId)
    .orderBy('id')
    .execute();
  assert.deepEqual(
    events.map(({ type, detail }) => [
      type,
      detail !== null && 'reason' in detail ? detail.reason : undefined,
    ]),
    [
      ['queued', undefined],
      ['failed', 'withdrawn'],
      ['failed', 'withdrawn'],
    ],
  );
  assert.equal(
    (await rowsOf(db.database, { emailId: newer.emailId }))[0]?.nextAttemptAt instanceof Date,
    true,
  );
});
