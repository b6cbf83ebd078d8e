import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newEmail } from '../../../test/support/emails.ts';
import { newEvent } from '../../../test/support/events.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { claimRows } from '../../../test/support/queue-rows.ts';
import { newUuid } from '../../model/ids.ts';
import { Lease } from '../../queue/lease.ts';
import { insertEmails } from '../accept/insert-emails.ts';
import { completeAttempts, type CompletedAttempt } from './complete-attempts.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(async () => {
  await db[Symbol.asyncDispose]();
});

test('an outcome that is written again together with the outcome of another recipient is on the timeline once', async () => {
  const recipients = ['a@dst.test', 'b@dst.test'];
  await insertEmails(db.database, [newEmail({ to: recipients, recipients })]);
  const lease = await Lease.begin(db.database, newUuid(), 'test');
  const rows = await claimRows(db.database, lease.leaseId, 2);
  const [first, second] = rows.map(
    (row): CompletedAttempt => ({
      row: { ...row, settlement: { kind: 'done' } },
      events: [newEvent('delivered', row.recipientIndex, row.address)],
      suppress: false,
    }),
  );
  assert.ok(first !== undefined && second !== undefined);
  // The result of the first call is treated as lost, so the recorder writes the outcome again in the next batch.
  await completeAttempts(db.database, lease.leaseId, [first]);
  await completeAttempts(db.database, lease.leaseId, [first, second]);
  lease.stop();
  const events = await db.database
    .selectFrom('events')
    .select('recipient')
    .where('type', '=', 'delivered')
    .execute();
  assert.deepEqual(events.map(({ recipient }) => recipient).sort(), recipients);
});
