import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { newEmail, PROJECT } from '../../../test/support/emails.ts';
import { newEvent } from '../../../test/support/events.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { advance, type Progress, statusOf } from '../../../test/support/status-rule.ts';
import { claimRows, emptyQueue, park, rowsOf } from '../../../test/support/queue-rows.ts';
import { newUuid } from '../../model/ids.ts';
import { endLease } from '../../queue/end-lease.ts';
import { Lease } from '../../queue/lease.ts';
import { leaveToLease } from '../../queue/settle.ts';
import { insertEmails, type NewEmail } from '../accept/insert-emails.ts';
import { getEmail } from '../read/get-email.ts';
import { beginAttempts } from './begin-attempts.ts';
import { cancelEmail } from './cancel-email.ts';
import { completeAttempts, type CompletedAttempt } from './complete-attempts.ts';
import { groupJobs, type Job } from './job.ts';
import { SENDING } from './outcome-events.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
beforeEach(() => emptyQueue(db.database));
after(() => db[Symbol.asyncDispose]());

const RECIPIENTS = ['a@x.test', 'b@x.test', 'c@x.test'];

async function accepted(fields: Partial<NewEmail> = {}): Promise<string> {
  const email = newEmail(fields);
  await insertEmails(db.database, [email]);
  return email.emailId;
}

async function newLease(): Promise<Lease & Disposable> {
  const lease = await Lease.begin(db.database, newUuid(), 'test');
  return Object.assign(lease, { [Symbol.dispose]: () => lease.stop() });
}

/** Claims due rows like a worker. */
async function claim(lease: Lease): Promise<Job[]> {
  return groupJobs(await claimRows(db.database, lease.leaseId, 100), () => '');
}

const begin = (lease: Lease, jobs: readonly Job[]) => beginAttempts(db.database, lease.leaseId, jobs);
const cancel = (emailId: string) => cancelEmail(db.database, PROJECT, emailId);
const inTime = (ms: number) => new Date(Date.now() + ms);

async function failures(emailId: string) {
  const email = await getEmail(db.database, PROJECT, emailId);
  const failed = email?.events.filter(({ type }) => type === 'failed') ?? [];
  return failed.map(({ recipient, detail }) => [recipient, (detail as { reason: string }).reason]);
}

test('a message from a mailbox cannot be cancelled as an email', async () => {
  const submissionId = newUuid();
  const emailId = await accepted();
  await sql`update queue set email_id = ${submissionId} where email_id = ${emailId}`.execute(db.database);
  assert.equal(await cancel(submissionId), false);
  const { rows } = await sql`select from queue where email_id = ${submissionId}`.execute(db.database);
  assert.equal(rows.length, 1);
});

const WAITING: Readonly<Record<string, (emailId: string, lease: Lease) => Promise<unknown>>> = {
  queued: async () => {},
  'merely claimed': (_, lease) => claim(lease),
  parked: () => park(db.database, 'dst.test'),
  deferred: async (emailId, lease) => {
    await begin(lease, await claim(lease));
    await completeAttempts(db.database, lease.leaseId, [
      {
        row: {
          projectId: PROJECT,
          emailId,
          recipientIndex: 0,
          attempts: 0,
          crashes: 0,
          address: 'b@dst.test',
          stream: 'transactional',
          settlement: { kind: 'later', delayMs: 60_000 },
        },
        events: [SENDING, newEvent('deferred', 0, 'b@dst.test')],
        suppress: false,
      },
    ]);
  },
};
for (const [state, bringInto] of Object.entries(WAITING))
  test(`an email that is ${state} is cancelled, and its worker sends nothing`, async () => {
    using lease = await newLease();
    const emailId = await accepted();
    const jobs = (await bringInto(emailId, lease)) as Job[] | undefined;
    assert.equal(await cancel(emailId), true);
    assert.deepEqual(await failures(emailId), [['b@dst.test', 'cancelled']]);
    if (state === 'merely claimed') assert.deepEqual(await begin(lease, jobs ?? []), []);
    assert.equal(await cancel(emailId), true);
    assert.equal((await failures(emailId)).length, 1);
  });

test('a scheduled email is not claimed before its time, and can be cancelled', async () => {
  using lease = await newLease();
  const emailId = await accepted({ scheduledAt: inTime(60_000) });
  const late = await accepted({ scheduledAt: inTime(-60_000) });
  const jobs = await claim(lease);
  assert.deepEqual(
    jobs.map((job) => job.emailId),
    [late],
  );
  assert.equal(await cancel(emailId), true);
});

test('an email that is in flight or finished cannot be cancelled', async () => {
  using lease = await newLease();
  const emailId = await accepted();
  assert.equal((await begin(lease, await claim(lease))).length, 1);
  await assert.rejects(cancel(emailId), { code: 'bad-request', message: /being sent/ });
  await sql`delete from queue`.execute(db.database);
  await assert.rejects(cancel(emailId), { code: 'bad-request', message: /Nothing is left/ });
  assert.deepEqual(await failures(emailId), []);
});

for (const end of ['a worker that died', 'a worker that was stopped while it waited for the final reply'])
  test(`an email that may have been sent by ${end} cannot be cancelled`, async () => {
    using lease = await newLease();
    const emailId = await accepted();
    const [job] = await claim(lease);
    assert.ok(job !== undefined);
    await begin(lease, [job]);
    if (end.includes('stopped')) await leaveToLease(db.database, lease.leaseId, job.rows);
    await assert.rejects(cancel(emailId), { code: 'bad-request' });
    await endLease(db.database, lease.leaseId, 'dead', async () => {});
    await assert.rejects(cancel(emailId), { code: 'bad-request', message: /may have been sent/ });
  });

test('an email whose latest attempt has a known outcome can be cancelled, even if an earlier outcome is unknown', async () => {
  const emailId = await accepted();
  {
    using stopped = await newLease();
    const [job] = await claim(stopped);
    await leaveToLease(db.database, stopped.leaseId, job?.rows ?? []);
    await endLease(db.database, stopped.leaseId, 'dead', async () => {});
  }
  using lease = await newLease();
  await WAITING['deferred']?.(emailId, lease);
  assert.equal(await cancel(emailId), true);
});

test('cancelling removes the recipients whose attempt has not begun, and does not change the other recipients', async () => {
  using lease = await newLease();
  const emailId = await accepted({ to: RECIPIENTS, recipients: RECIPIENTS });
  const [job] = await claim(lease);
  assert.ok(job !== undefined);
  await begin(lease, [{ ...job, rows: job.rows.slice(0, 1) }]);
  assert.equal(await cancel(emailId), true);
  assert.deepEqual(await failures(emailId), [
    ['b@x.test', 'cancelled'],
    ['c@x.test', 'cancelled'],
  ]);
  const left = (await rowsOf(db.database, { emailId })).filter(({ stream }) => stream !== null);
  assert.deepEqual(
    left.map(({ address, inFlight }) => [address, inFlight]),
    [['a@x.test', true]],
  );
});

test('if cancelling races with an attempt, each recipient is cancelled or sent, and the status matches the events', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 3 }),
      async (isDelivered, cancels) => {
        using lease = await newLease();
        const recipients = RECIPIENTS.slice(0, isDelivered.length);
        const emailId = await accepted({ to: recipients, recipients });
        const jobs = await claim(lease);
        const [begun, ...cancelled] = await Promise.all([
          begin(lease, jobs),
          ...Array.from({ length: cancels }, () => cancel(emailId).catch(() => false)),
        ]);
        const rows = begun.flatMap(({ job }) => job.rows);
        const ended = rows.map(
          (row): CompletedAttempt => ({
            row: { ...row, settlement: { kind: 'done' } },
            events: [
              newEvent(
                isDelivered[row.recipientIndex] === true ? 'delivered' : 'bounced',
                row.recipientIndex,
                row.address,
              ),
            ],
            suppress: false,
          }),
        );
        if (ended.length > 0) await completeAttempts(db.database, lease.leaseId, ended);
        const failed = (await failures(emailId)).map(([address]) => address);
        const sent = rows.map(({ address }) => address);
        assert.deepEqual([...failed, ...sent].toSorted(), recipients);
        assert.equal(cancelled.some(Boolean), failed.length > 0);
        const email = await getEmail(db.database, PROJECT, emailId);
        const progress = email?.events.reduce<Progress>(
          (at, { type, recipient }) =>
            advance(at, type, recipient === null ? 0 : recipients.indexOf(recipient)),
          { reached: 'queued', recipients: recipients.map(() => 'queued') },
        );
        assert.equal(email?.status, progress && statusOf(progress));
      },
    ),
    { numRuns: 40 },
  );
});
