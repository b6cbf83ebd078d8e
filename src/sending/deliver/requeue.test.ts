import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newEmail, PROJECT, queueEmails } from '../../../test/support/emails.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { giveUp, rowsOf, setCrashes } from '../../../test/support/queue-rows.ts';
import { newUuid } from '../../model/ids.ts';
import { MAX_CRASHES } from '../../queue/end-lease.ts';
import { insertEmails } from '../accept/insert-emails.ts';
import { requeue } from './requeue.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

async function givenUp(): Promise<string> {
  const email = newEmail({ recipients: ['a@x.test', 'b@x.test'] });
  await insertEmails(db.database, [email]);
  const { emailId } = email;
  await giveUp(db.database, { emailId });
  await setCrashes(db.database, MAX_CRASHES, { emailId, address: 'a@x.test' });
  return emailId;
}

test('a recipient that was given up is due again, once, and its neighbour is not', async () => {
  const emailId = await givenUp();
  assert.equal(await requeue(db.database, PROJECT, emailId), 1);
  assert.equal(await requeue(db.database, PROJECT, emailId), 0);
  const due = (await rowsOf(db.database, { emailId })).filter(({ nextAttemptAt }) => nextAttemptAt !== null);
  assert.deepEqual(
    due.map(({ recipientIndex, crashes }) => [recipientIndex, crashes]),
    [[0, 0]],
  );
});

test('an email that is on its way, or is of another project, is left alone', async () => {
  const [queued] = await queueEmails(db.database, 1);
  assert.equal(await requeue(db.database, PROJECT, queued?.emailId ?? ''), 0);
  assert.equal(await requeue(db.database, newUuid(), await givenUp()), 0);
});
