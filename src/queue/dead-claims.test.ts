import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { queueEmails } from '../../test/support/emails.ts';
import { claimRows, emptyQueue } from '../../test/support/queue-rows.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { showProcess } from '../../test/support/process-rows.ts';
import { newUuid } from '../model/ids.ts';
import type { ClaimedRow } from './claim.ts';
import { releaseDeadClaims } from './dead-claims.ts';
import { endLease } from './end-lease.ts';
import { Lease } from './lease.ts';
import { leaveToLease, markingInFlight } from './settle.ts';

let db: TestDatabase;
const leases: Lease[] = [];
before(async () => {
  db = await testDatabase();
});
beforeEach(async () => {
  await emptyQueue(db.database);
  for (const lease of leases.splice(0)) {
    lease.stop();
    await endLease(db.database, lease.leaseId, 'retired', async () => {});
  }
  await db.database.deleteFrom('processes').execute();
});
after(async () => {
  for (const lease of leases) lease.stop();
  await db[Symbol.asyncDispose]();
});

async function newLease(processId: string | null = newUuid()): Promise<Lease> {
  const lease = await Lease.begin(db.database, newUuid(), 'test', { processId });
  leases.push(lease);
  return lease;
}

async function begin(lease: Lease, rows: readonly ClaimedRow[]): Promise<number> {
  const marked = markingInFlight(lease.leaseId, rows);
  const result = await sql`with ${marked.sql} select from ${marked.name}`.execute(db.database);
  return result.rows.length;
}

const idsOf = (rows: readonly ClaimedRow[]) => rows.map(({ emailId }) => emailId).toSorted();

test('releaseDeadClaims releases the rows that a dead worker had not begun, and keeps rows in flight or in doubt', async () => {
  await queueEmails(db.database, 5);
  const [dead, other] = [await newLease(), await newLease()];
  const rows = await claimRows(db.database, dead.leaseId, 5);
  await begin(dead, rows.slice(0, 2));
  await leaveToLease(db.database, dead.leaseId, rows.slice(1, 2));
  assert.equal(await releaseDeadClaims(db.database, []), 3);
  const claimed = await claimRows(db.database, other.leaseId, 10);
  assert.deepEqual(claimed, [], 'the other worker seemed dead too, so its lease is closed');
  const third = await newLease();
  assert.deepEqual(idsOf(await claimRows(db.database, third.leaseId, 10)), idsOf(rows.slice(2)));
  await endLease(db.database, dead.leaseId, 'dead', async () => {});
  assert.deepEqual(idsOf(await claimRows(db.database, third.leaseId, 10)), idsOf(rows.slice(0, 2)));
});

test('a suspended worker whose claims were released claims no rows and begins only rows that it had begun before', async () => {
  await queueEmails(db.database, 3);
  const [stopped, other] = [await newLease(), await newLease()];
  const rows = await claimRows(db.database, stopped.leaseId, 3);
  await begin(stopped, rows.slice(0, 1));
  const others = await db.database
    .selectFrom('leases')
    .select('processId')
    .where('leaseId', '=', other.leaseId)
    .execute();
  const living = others.flatMap(({ processId }) => processId ?? []);
  assert.equal(await releaseDeadClaims(db.database, living), 2);
  assert.equal(await begin(stopped, rows.slice(1)), 0, 'before another worker claims the rows');
  assert.deepEqual(await claimRows(db.database, stopped.leaseId, 10), []);
  const claimed = await claimRows(db.database, other.leaseId, 10);
  assert.deepEqual(idsOf(claimed), idsOf(rows.slice(1)));
  assert.equal(await begin(stopped, rows.slice(1)), 0, 'after another worker has claimed the rows');
  assert.equal(await begin(other, claimed), 2);
  assert.equal(await begin(stopped, rows.slice(0, 1)), 1);
});

test('claims are kept if the caller lists the process as living, or if the process has a recent heartbeat', async () => {
  await queueEmails(db.database, 2);
  const [known, seen] = [newUuid(), await showProcess(db.database)];
  for (const processId of [known, seen]) {
    const lease = await newLease(processId);
    assert.equal((await claimRows(db.database, lease.leaseId, 1)).length, 1);
  }
  assert.equal(await releaseDeadClaims(db.database, [known]), 0);
});

test('claims of a lease without a process id, made by an older version, are kept', async () => {
  await queueEmails(db.database, 1);
  const lease = await newLease(null);
  assert.equal((await claimRows(db.database, lease.leaseId, 1)).length, 1);
  assert.equal(await releaseDeadClaims(db.database, []), 0);
});

test('concurrent claims, begins and releases never give one row to two workers', async () => {
  for (let round = 0; round < 20; round++) {
    await emptyQueue(db.database);
    await queueEmails(db.database, 20);
    const [slow, other] = [await newLease(), await newLease(null)];
    const rows = await claimRows(db.database, slow.leaseId, 10);
    const [begun, , again, claimed] = await Promise.all([
      begin(slow, rows),
      releaseDeadClaims(db.database, []),
      claimRows(db.database, slow.leaseId, 10),
      claimRows(db.database, other.leaseId, 20),
    ]);
    // The worker began either all rows, before the release, or no row.
    assert.ok(begun === 0 || begun === 10, String(begun));
    const byOther = [...claimed, ...(await claimRows(db.database, other.leaseId, 20))];
    const bySlow = [...(begun === 10 ? rows : []), ...((await begin(slow, again)) > 0 ? again : [])];
    const all = idsOf([...bySlow, ...byOther]);
    assert.equal(new Set(all).size, all.length);
    await endLease(db.database, other.leaseId, 'retired', async () => {});
  }
});
