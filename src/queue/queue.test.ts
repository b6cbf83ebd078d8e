import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { queueEmails } from '../../test/support/emails.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import {
  claimRows,
  emptyQueue,
  leaseIds,
  passTime,
  rowsOf,
  setDue,
  silenceWorkers,
} from '../../test/support/queue-rows.ts';
import { newUuid } from '../model/ids.ts';
import { type ClaimedRow, claimPoison } from './claim.ts';
import { endLease, findExpiredLeases, MAX_CRASHES } from './end-lease.ts';
import { Lease } from './lease.ts';
import { leaveToLease, release, type Settlement, settling, markingInFlight } from './settle.ts';

let db: TestDatabase;
const leases: Lease[] = [];
before(async () => {
  db = await testDatabase();
});
beforeEach(async () => {
  await emptyQueue(db.database);
});
after(async () => {
  for (const lease of leases) lease.stop();
  await db[Symbol.asyncDispose]();
});

async function newLease(): Promise<Lease> {
  const lease = await Lease.begin(db.database, newUuid(), 'test');
  leases.push(lease);
  return lease;
}

/** Runs the CTE and returns how many rows it touched. */
async function takeInFlight(lease: Lease, rows: readonly ClaimedRow[]): Promise<number> {
  const held = markingInFlight(lease.leaseId, rows);
  const result = await sql`with ${held.sql} select from ${held.name}`.execute(db.database);
  return result.rows.length;
}

async function settle(lease: Lease, rows: readonly ClaimedRow[], settlement: Settlement): Promise<number> {
  const settled = settling(
    lease.leaseId,
    rows.map((row) => ({ ...row, settlement })),
  );
  const result = await sql`with ${settled.sql} select from ${settled.name}`.execute(db.database);
  return result.rows.length;
}

/** Ends the lease as the death of its process does, with the rows in flight. */
async function crashWith(lease: Lease, rows: readonly ClaimedRow[]): Promise<string[]> {
  await takeInFlight(lease, rows);
  const givenUp: string[] = [];
  await endLease(db.database, lease.leaseId, 'dead', async (_tx, lost) => {
    givenUp.push(...lost.map((row) => row.emailId));
  });
  return givenUp;
}

test('two workers that claim at once share the rows without one in common', async () => {
  await queueEmails(db.database, 100);
  const [a, b] = [await newLease(), await newLease()];
  const [first, second] = await Promise.all([
    claimRows(db.database, a.leaseId, 60),
    claimRows(db.database, b.leaseId, 60),
  ]);
  const ids = [...first, ...second].map((row) => row.emailId);
  assert.equal(new Set(ids).size, ids.length);
  const rest = await claimRows(db.database, a.leaseId, 100);
  assert.equal(ids.length + rest.length, 100);
});

test('a row that is not due yet is not claimed', async () => {
  await queueEmails(db.database, 1);
  await setDue(db.database, '1 minute');
  assert.deepEqual(await claimRows(db.database, (await newLease()).leaseId, 10), []);
});

test('a lease that has ended claims nothing', async () => {
  await queueEmails(db.database, 1);
  const lease = await newLease();
  await endLease(db.database, lease.leaseId, 'dead', async () => {});
  assert.deepEqual(await claimRows(db.database, lease.leaseId, 10), []);
});

test('a row that is done is never claimed again, one put off is when its time comes', async () => {
  await queueEmails(db.database, 2);
  const lease = await newLease();
  const [done, later] = await claimRows(db.database, lease.leaseId, 2);
  assert.ok(done && later);
  await settle(lease, [done], { kind: 'done' });
  await settle(lease, [later], { kind: 'later', delayMs: 60_000 });
  assert.deepEqual(await claimRows(db.database, lease.leaseId, 10), []);
  await passTime(db.database, '61 seconds');
  const again = await claimRows(db.database, lease.leaseId, 10);
  assert.deepEqual(
    again.map((row) => [row.emailId, row.attempts]),
    [[later.emailId, 1]],
  );
});

test('a lease that has ended can settle nothing, and the rows are due again', async () => {
  await queueEmails(db.database, 1);
  const [old, next] = [await newLease(), await newLease()];
  const rows = await claimRows(db.database, old.leaseId, 1);
  await endLease(db.database, old.leaseId, 'dead', async () => {});
  assert.equal(await settle(old, rows, { kind: 'done' }), 0);
  assert.equal((await claimRows(db.database, next.leaseId, 1)).length, 1);
});

test('rows that another lease holds by now cannot be settled, marked in flight or released', async () => {
  await queueEmails(db.database, 1);
  const [a, b] = [await newLease(), await newLease()];
  const rows = await claimRows(db.database, a.leaseId, 1);
  assert.equal(await settle(b, rows, { kind: 'done' }), 0);
  assert.equal(await takeInFlight(b, rows), 0);
  await release(db.database, b.leaseId, rows);
  assert.equal((await rowsOf(db.database))[0]?.leaseId, a.leaseId);
});

test('only what was in flight when its worker died counts a crash', async () => {
  await queueEmails(db.database, 3);
  const lease = await newLease();
  const rows = await claimRows(db.database, lease.leaseId, 3);
  await crashWith(lease, rows.slice(0, 1));
  assert.deepEqual(
    (await rowsOf(db.database)).map((row) => [row.crashes, row.leaseId, row.inFlight]).toSorted(),
    [
      [0, null, false],
      [0, null, false],
      [1, null, false],
    ],
  );
});

test('after the second crash a row is left out of batches and claimed alone', async () => {
  await queueEmails(db.database, 1);
  for (let crash = 0; crash < 2; crash++) {
    const lease = await newLease();
    await crashWith(lease, await claimRows(db.database, lease.leaseId, 1));
  }
  await queueEmails(db.database, 2);
  const lease = await newLease();
  assert.equal((await claimRows(db.database, lease.leaseId, 10)).length, 2);
  assert.equal((await claimPoison(db.database, lease.leaseId))?.crashes, 2);
  assert.equal(await claimPoison(db.database, lease.leaseId), null);
});

test('after the fifth crash a row is given up', async () => {
  const [email] = await queueEmails(db.database, 1);
  const givenUp: string[][] = [];
  for (let crash = 0; crash < MAX_CRASHES; crash++) {
    const lease = await newLease();
    const row =
      crash < 2
        ? (await claimRows(db.database, lease.leaseId, 1))[0]
        : await claimPoison(db.database, lease.leaseId);
    assert.ok(row);
    givenUp.push(await crashWith(lease, [row]));
  }
  assert.deepEqual(givenUp, [[], [], [], [], [email?.emailId]]);
  assert.equal((await rowsOf(db.database))[0]?.nextAttemptAt, null);
});

test('an attempt that comes to an end clears the crashes', async () => {
  await queueEmails(db.database, 1);
  const first = await newLease();
  await crashWith(first, await claimRows(db.database, first.leaseId, 1));
  const lease = await newLease();
  const rows = await claimRows(db.database, lease.leaseId, 1);
  await settle(lease, rows, { kind: 'later', delayMs: 0 });
  assert.equal((await rowsOf(db.database))[0]?.crashes, 0);
});

test('what is left to the lease stays held and counts no crash when the lease ends', async () => {
  await queueEmails(db.database, 1);
  const lease = await newLease();
  const rows = await claimRows(db.database, lease.leaseId, 1);
  await takeInFlight(lease, rows);
  await leaveToLease(db.database, lease.leaseId, rows);
  assert.deepEqual(await claimRows(db.database, (await newLease()).leaseId, 1), []);
  await endLease(db.database, lease.leaseId, 'dead', async () => {});
  assert.deepEqual(
    (await rowsOf(db.database)).map((row) => [row.leaseId, row.crashes]),
    [[null, 0]],
  );
});

test('a lease with a fresh heartbeat is not expired and cannot be ended for its age', async () => {
  const lease = await newLease();
  assert.deepEqual(await findExpiredLeases(db.database), []);
  await endLease(db.database, lease.leaseId, 'expired', async () => {});
  assert.equal((await leaseIds(db.database)).length, 1);
});

test('a lease without a heartbeat for the time of a lease is expired', async () => {
  const lease = await newLease();
  await silenceWorkers(db.database);
  assert.deepEqual(await findExpiredLeases(db.database), [lease.leaseId]);
});

test('a settlement that is written again does not touch the next attempt on the row', async () => {
  await queueEmails(db.database, 1);
  const lease = await newLease();
  const first = await claimRows(db.database, lease.leaseId, 1);
  assert.equal(await settle(lease, first, { kind: 'later', delayMs: 0 }), 1);
  const second = await claimRows(db.database, lease.leaseId, 1);
  assert.equal(await settle(lease, first, { kind: 'later', delayMs: 0 }), 0);
  assert.equal(await settle(lease, second, { kind: 'done' }), 1);
});

test('what a lease holds is due again when it ends, though the clock of the database went back', async () => {
  await queueEmails(db.database, 1);
  const lease = await newLease();
  await claimRows(db.database, lease.leaseId, 1);
  await setDue(db.database, '2 seconds');
  await endLease(db.database, lease.leaseId, 'dead', async () => {});
  assert.deepEqual(
    (await rowsOf(db.database)).map((row) => row.leaseId),
    [null],
  );
});

test('a lease that retires counts no crash for what it leaves', async () => {
  await queueEmails(db.database, 1);
  const lease = await newLease();
  await takeInFlight(lease, await claimRows(db.database, lease.leaseId, 1));
  await endLease(db.database, lease.leaseId, 'retired', async () => {});
  assert.deepEqual(
    (await rowsOf(db.database)).map((row) => [row.leaseId, row.crashes]),
    [[null, 0]],
  );
});

test('beginning a lease again whose first beginning was not heard of is the same lease', async () => {
  const leaseId = newUuid();
  for (let time = 0; time < 2; time++) leases.push(await Lease.begin(db.database, leaseId, 'test'));
  assert.equal((await leaseIds(db.database)).length, 1);
});
