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
import { SharedStatements } from '../db/shared-statements.ts';
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

/** Marks rows as in flight. @returns the number of marked rows */
async function markInFlight(lease: Lease, rows: readonly ClaimedRow[]): Promise<number> {
  const marked = markingInFlight(lease.leaseId, rows);
  const result = await sql`with ${marked.sql} select from ${marked.name}`.execute(db.database);
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

/** Ends the lease as if its process had died while the rows were in flight. @returns ids of the emails whose rows were abandoned */
async function crashWith(lease: Lease, rows: readonly ClaimedRow[]): Promise<string[]> {
  await markInFlight(lease, rows);
  const abandoned: string[] = [];
  await endLease(db.database, lease.leaseId, 'dead', async (_tx, lost) => {
    abandoned.push(...lost.map((row) => row.emailId));
  });
  return abandoned;
}

test('two workers that claim concurrently never get the same row', async () => {
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

test('an ended lease claims nothing', async () => {
  await queueEmails(db.database, 1);
  const lease = await newLease();
  await endLease(db.database, lease.leaseId, 'dead', async () => {});
  assert.deepEqual(await claimRows(db.database, lease.leaseId, 10), []);
});

test('a finished row is never claimed again, and a deferred row is claimed again when it is due', async () => {
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

test('an ended lease cannot settle its rows, and the rows are due again', async () => {
  await queueEmails(db.database, 1);
  const [old, next] = [await newLease(), await newLease()];
  const rows = await claimRows(db.database, old.leaseId, 1);
  await endLease(db.database, old.leaseId, 'dead', async () => {});
  assert.equal(await settle(old, rows, { kind: 'done' }), 0);
  assert.equal((await claimRows(db.database, next.leaseId, 1)).length, 1);
});

test('a lease cannot settle, mark or release rows of another lease', async () => {
  await queueEmails(db.database, 1);
  const [a, b] = [await newLease(), await newLease()];
  const rows = await claimRows(db.database, a.leaseId, 1);
  assert.equal(await settle(b, rows, { kind: 'done' }), 0);
  assert.equal(await markInFlight(b, rows), 0);
  await release(db.database, b.leaseId, rows);
  assert.equal((await rowsOf(db.database))[0]?.leaseId, a.leaseId);
});

test('a crash is counted only for rows in flight when the worker dies', async () => {
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

test('a row is claimed alone after its second crash', async () => {
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

test('a row is abandoned after its fifth crash', async () => {
  const [email] = await queueEmails(db.database, 1);
  const abandoned: string[][] = [];
  for (let crash = 0; crash < MAX_CRASHES; crash++) {
    const lease = await newLease();
    const row =
      crash < 2
        ? (await claimRows(db.database, lease.leaseId, 1))[0]
        : await claimPoison(db.database, lease.leaseId);
    assert.ok(row);
    abandoned.push(await crashWith(lease, [row]));
  }
  assert.deepEqual(abandoned, [[], [], [], [], [email?.emailId]]);
  assert.equal((await rowsOf(db.database))[0]?.nextAttemptAt, null);
});

test('a completed attempt resets the crash count', async () => {
  await queueEmails(db.database, 1);
  const first = await newLease();
  await crashWith(first, await claimRows(db.database, first.leaseId, 1));
  const lease = await newLease();
  const rows = await claimRows(db.database, lease.leaseId, 1);
  await settle(lease, rows, { kind: 'later', delayMs: 0 });
  assert.equal((await rowsOf(db.database))[0]?.crashes, 0);
});

test('a row in doubt stays claimed, and no crash is counted for it when the lease ends', async () => {
  await queueEmails(db.database, 1);
  const lease = await newLease();
  const rows = await claimRows(db.database, lease.leaseId, 1);
  await markInFlight(lease, rows);
  await leaveToLease(db.database, lease.leaseId, rows);
  assert.deepEqual(await claimRows(db.database, (await newLease()).leaseId, 1), []);
  await endLease(db.database, lease.leaseId, 'dead', async () => {});
  assert.deepEqual(
    (await rowsOf(db.database)).map((row) => [row.leaseId, row.crashes]),
    [[null, 0]],
  );
});

test('a lease with a recent heartbeat is not expired and is not ended as expired', async () => {
  const lease = await newLease();
  assert.deepEqual(await findExpiredLeases(db.database), []);
  await endLease(db.database, lease.leaseId, 'expired', async () => {});
  assert.equal((await leaseIds(db.database)).length, 1);
});

test('a lease without a heartbeat for `leaseMs` is expired', async () => {
  const lease = await newLease();
  await silenceWorkers(db.database);
  assert.deepEqual(await findExpiredLeases(db.database), [lease.leaseId]);
});

test('a lease that is being retired is closed by its next heartbeat', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const shared = new SharedStatements(db.database);
  const lease = await Lease.begin(db.database, newUuid(), 'worker', { shared });
  const beat = async () => {
    context.mock.timers.tick(5_000);
    shared.flush();
    await shared.settled();
    const { rows } = await sql<{ isClosed: boolean }>`select is_closed from leases`.execute(db.database);
    return rows;
  };
  assert.deepEqual(await beat(), [{ isClosed: false }]);
  await queueEmails(db.database, 1);
  lease.retire();
  assert.deepEqual(await beat(), [{ isClosed: true }]);
  assert.deepEqual(await claimRows(db.database, lease.leaseId, 1), []);
  lease.stop();
});

test('a settlement that is written twice does not affect the next attempt', async () => {
  await queueEmails(db.database, 1);
  const lease = await newLease();
  const first = await claimRows(db.database, lease.leaseId, 1);
  assert.equal(await settle(lease, first, { kind: 'later', delayMs: 0 }), 1);
  const second = await claimRows(db.database, lease.leaseId, 1);
  assert.equal(await settle(lease, first, { kind: 'later', delayMs: 0 }), 0);
  assert.equal(await settle(lease, second, { kind: 'done' }), 1);
});

test('ending a lease releases its rows even if the database clock was set back', async () => {
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

test('no crash is counted for rows of a retired lease', async () => {
  await queueEmails(db.database, 1);
  const lease = await newLease();
  await markInFlight(lease, await claimRows(db.database, lease.leaseId, 1));
  await endLease(db.database, lease.leaseId, 'retired', async () => {});
  assert.deepEqual(
    (await rowsOf(db.database)).map((row) => [row.leaseId, row.crashes]),
    [[null, 0]],
  );
});

test('beginning a lease twice with the same id creates one lease', async () => {
  const leaseId = newUuid();
  for (let time = 0; time < 2; time++) leases.push(await Lease.begin(db.database, leaseId, 'test'));
  assert.equal((await leaseIds(db.database)).length, 1);
});
