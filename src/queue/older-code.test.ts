import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { newEmail, queueEmailTo } from '../../test/support/emails.ts';
import { emptyDatabase, type TestDatabase } from '../../test/support/postgres.ts';
import { claimRows, destinationRow, emptyQueue, rowOf, rowsOf } from '../../test/support/queue-rows.ts';
import { migrate, runContracts } from '../db/migrate.ts';
import { readMigrations } from '../db/migration-files.ts';
import { newUuid } from '../model/ids.ts';
import { claimParked, forgetDestination } from './destinations.ts';
import { MAX_CRASHES } from './end-lease.ts';
import { Lease } from './lease.ts';
import { firstOfOlderCode, OlderCode, takeOverEmails } from './older-code.ts';
import { settling } from './settle.ts';

let db: TestDatabase;
const leases: Lease[] = [];
/** The addresses of those that were given up. */
let givenUp: string[] = [];

/** A database that code of before 0.2.0 works on too. */
async function sharedDatabase(): Promise<TestDatabase> {
  const shared = await emptyDatabase();
  await migrate(shared.url, {
    migrations: readMigrations().filter(({ servesFrom }) => servesFrom === null),
  });
  return shared;
}

before(async () => {
  db = await sharedDatabase();
});
beforeEach(async () => {
  givenUp = [];
  await emptyQueue(db.database);
  await sql`truncate processes`.execute(db.database);
});
after(async () => {
  for (const lease of leases) lease.stop();
  await db[Symbol.asyncDispose]();
});

async function takeOver({ database } = db): Promise<void> {
  const older = new OlderCode(database, async (_tx, rows) => {
    givenUp.push(...rows.map(({ address }) => address));
  });
  while (await older.takeOver());
}

async function newLease(): Promise<string> {
  const lease = await Lease.begin(db.database, newUuid(), 'test');
  leases.push(lease);
  return lease.leaseId;
}

interface OlderRow {
  nextAttemptAt?: string | null;
  attempts?: number;
  crashes?: number;
  leaseId?: string | null;
  isInFlight?: boolean;
  destination?: string | null;
}

/** A recipient as code of before writes it. @returns the id of the email */
async function addOlder(address: string, row: OlderRow = {}, { database } = db): Promise<string> {
  const { projectId, emailId } = newEmail();
  const { nextAttemptAt = 'now', attempts = 0, crashes = 0, leaseId = null, isInFlight = false } = row;
  await sql`
    insert into recipients (project_id, email_id, n, address, octets, stream, attempts, crashes, next_attempt_at, epoch, in_hand, destination)
    values (${projectId}, ${emailId}, 0, ${address}, 7, 'bulk', ${attempts}, ${crashes}, ${nextAttemptAt}::timestamptz, ${leaseId},
      ${isInFlight}, ${row.destination ?? null})`.execute(database);
  return emailId;
}

/** Whose work stands where code of before finds it. */
async function olderWork({ database } = db): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    select address from recipients where next_attempt_at is not null order by address`.execute(database);
  return rows.map(({ address }) => address);
}

async function work({ database } = db): Promise<string[]> {
  const rows = await database.selectFrom('queue').select('address').orderBy('address').execute();
  return rows.map(({ address }) => address);
}

/** A heartbeat of a process. */
async function beat(version: string, ago = '0'): Promise<void> {
  await sql`
    insert into processes (id, host, name, roles, version, connections, clock_ahead_ms, heartbeat_at)
    values (${newUuid()}, 'a', 'a', '{worker}', ${version}, 1, 0, now() - ${ago}::interval)`.execute(
    db.database,
  );
}

test('what older code accepted, put off or parked is taken over with all that it knew', async () => {
  await addOlder('due@x.test', { attempts: 3, crashes: 1 });
  await addOlder('later@x.test', { nextAttemptAt: '2100-01-01' });
  await addOlder('parked@x.test', { nextAttemptAt: 'infinity', destination: 'x.test' });
  await addOlder('done@x.test', { nextAttemptAt: null });
  await takeOver();
  assert.deepEqual(await work(), ['due@x.test', 'later@x.test', 'parked@x.test']);
  assert.deepEqual(await olderWork(), []);
  const { attempts, crashes, octets, stream } = await rowOf(db.database, 'due@x.test');
  assert.deepEqual(
    { attempts, crashes, octets, stream },
    { attempts: 3, crashes: 1, octets: 7, stream: 'bulk' },
  );
  assert.equal((await rowOf(db.database, 'later@x.test')).nextAttemptAt?.getUTCFullYear(), 2100);
  const { rows } = await claimParked(db.database, await newLease(), 'x.test', 10);
  assert.deepEqual(
    rows.map(({ address }) => address),
    ['parked@x.test'],
  );
});

test('more than a batch is taken over, batch by batch', async () => {
  await sql`
    insert into recipients (project_id, email_id, n, address, octets, next_attempt_at)
    select gen_random_uuid(), gen_random_uuid(), 0, 'a@x.test', 1, case when n % 2 = 0 then 'infinity' else now() end
    from generate_series(1, 4500) n`.execute(db.database);
  await takeOver();
  assert.equal((await work()).length, 4500);
  assert.deepEqual(await olderWork(), []);
});

test('what a living worker of older code holds stays with it, and counts a crash when its lease is over', async () => {
  const leaseId = await newLease();
  await addOlder('held@x.test', { leaseId });
  await addOlder('flight@x.test', { leaseId, isInFlight: true });
  await addOlder('last@x.test', { leaseId, isInFlight: true, crashes: MAX_CRASHES - 1 });
  await takeOver();
  assert.deepEqual([await work(), (await olderWork()).length], [[], 3]);
  await sql`delete from leases where lease_id = ${leaseId}`.execute(db.database);
  await takeOver();
  assert.deepEqual(await work(), ['flight@x.test', 'held@x.test']);
  assert.deepEqual(await olderWork(), []);
  assert.deepEqual(givenUp, ['last@x.test']);
  const crashes = await Promise.all(
    ['held', 'flight', 'last'].map(async (name) => (await rowOf(db.database, `${name}@x.test`)).crashes),
  );
  assert.deepEqual(crashes, [0, 1, MAX_CRASHES]);
});

test('what is held here is due again after older code has ended the lease', async () => {
  await queueEmailTo(db.database, ['a@x.test', 'b@x.test']);
  const leaseId = await newLease();
  await claimRows(db.database, leaseId, 2);
  await sql`update queue set in_flight = true where address = 'a@x.test'`.execute(db.database);
  await takeOver();
  assert.ok((await rowsOf(db.database)).every((row) => row.leaseId === leaseId));
  await sql`delete from workers where epoch = ${leaseId}`.execute(db.database);
  await takeOver();
  assert.deepEqual(
    (await rowsOf(db.database)).map((row) => [row.address, row.leaseId, row.crashes]).toSorted(),
    [
      ['a@x.test', null, 1],
      ['b@x.test', null, 0],
    ],
  );
});

test('older code sees nothing of what is accepted here, also when it is settled', async () => {
  await queueEmailTo(db.database, ['a@x.test']);
  assert.deepEqual(await olderWork(), []);
  const leaseId = await newLease();
  const rows = await claimRows(db.database, leaseId, 1);
  const settled = settling(
    leaseId,
    rows.map((row) => ({ ...row, settlement: { kind: 'parked', destination: 'x.test', wasTried: true } })),
  );
  await sql`with ${settled.sql} select from ${settled.name}`.execute(db.database);
  assert.deepEqual([await olderWork(), await work()], [[], ['a@x.test']]);
});

test('neither code removes a destination that something of the other one waits for', async () => {
  await addOlder('old@x.test', { nextAttemptAt: 'infinity', destination: 'x.test' });
  await sql`insert into destinations (name, failures, next_attempt_at) values ('x.test', 1, now() + interval '15 minutes')`.execute(
    db.database,
  );
  await forgetDestination(db.database, 'x.test');
  const row = await destinationRow(db.database, 'x.test');
  assert.ok(row !== undefined && row.nextAttemptAt.getTime() < Date.now() + 60_000);
  await takeOver();
  const byOlderCode = sql`
    delete from destinations where name = 'x.test'
    and not exists (select from recipients where destination = 'x.test' and next_attempt_at = 'infinity')`;
  await byOlderCode.execute(db.database);
  assert.ok((await destinationRow(db.database, 'x.test')) !== undefined);
  await sql`delete from queue`.execute(db.database);
  await byOlderCode.execute(db.database);
  assert.equal(await destinationRow(db.database, 'x.test'), undefined);
});

test('where older code alone is at work again it gets back what waits', async () => {
  const leaseId = await newLease();
  await queueEmailTo(db.database, ['due@x.test', 'held@x.test', 'flight@x.test', 'parked@x.test']);
  await sql`update queue set lease_id = ${leaseId} where address = 'held@x.test'`.execute(db.database);
  await sql`update queue set lease_id = ${newUuid()}, in_flight = true, attempts = 2 where address = 'flight@x.test'`.execute(
    db.database,
  );
  await sql`update queue set next_attempt_at = 'infinity', destination = 'x.test' where address = 'parked@x.test'`.execute(
    db.database,
  );
  await beat('0.2.0');
  await beat('0.1.0');
  assert.deepEqual(await olderWork(), []);
  await sql`update processes set heartbeat_at = now() - interval '2 minutes' where version = '0.2.0'`.execute(
    db.database,
  );
  await beat('0.1.0');
  assert.deepEqual(await olderWork(), ['due@x.test', 'flight@x.test', 'parked@x.test']);
  assert.deepEqual(await work(), ['held@x.test']);
  const { rows } = await sql`
    select address, octets, attempts, crashes, epoch, in_hand, destination from recipients
    where address in ('flight@x.test', 'parked@x.test') order by address`.execute(db.database);
  const octets = newEmail().html?.length;
  const idle = { octets, epoch: null, inHand: false };
  assert.deepEqual(rows, [
    { ...idle, address: 'flight@x.test', attempts: 2, crashes: 1, destination: null },
    { ...idle, address: 'parked@x.test', attempts: 0, crashes: 0, destination: 'x.test' },
  ]);
  await takeOver();
  assert.equal((await work()).length, 4);
});

test('what older code gets back is not among those that were given up, however often its worker died', async () => {
  await queueEmailTo(db.database, ['a@x.test']);
  await sql`update queue set lease_id = ${newUuid()}, in_flight = true, crashes = ${MAX_CRASHES - 1}`.execute(
    db.database,
  );
  await beat('0.1.0');
  assert.deepEqual(await olderWork(), ['a@x.test']);
  // Who has so many crashes is put on the queue again when an operator asks for it.
  assert.ok((await rowOf(db.database, 'a@x.test')).crashes < MAX_CRASHES);
  // A worker of older code claims it, and dies before it begins.
  await sql`update recipients set epoch = ${newUuid()}`.execute(db.database);
  await takeOver();
  assert.deepEqual([givenUp, await work()], [[], ['a@x.test']]);
});

test('of emails whose recipients are locked all is taken over but what is held', async () => {
  const leaseId = await newLease();
  const free = await addOlder('free@x.test');
  const held = await addOlder('held@x.test', { leaseId });
  const other = await addOlder('other@x.test');
  const { projectId } = newEmail();
  const left = await db.database.transaction().execute((tx) => takeOverEmails(tx, projectId, [free, held]));
  assert.deepEqual(left, [{ emailId: held, recipientIndex: 0 }]);
  assert.deepEqual(await work(), ['free@x.test']);
  const last = 'ffffffff-ffff-7fff-8fff-ffffffffffff';
  assert.equal(await firstOfOlderCode(db.database, last), held);
  assert.equal(await firstOfOlderCode(db.database, held), null);
  assert.deepEqual(await olderWork(), ['held@x.test', 'other@x.test']);
  assert.ok(other > held);
});

test('once no older code lives its queue goes, with what was left in it taken over', async () => {
  await using own = await sharedDatabase();
  const older = new OlderCode(own.database, async () => {});
  assert.equal(await older.takeOver(), false);
  const leaseId = newUuid();
  await addOlder('due@x.test', {}, own);
  await addOlder('flight@x.test', { leaseId, isInFlight: true, crashes: 1 }, own);
  await addOlder('parked@x.test', { nextAttemptAt: 'infinity', destination: 'x.test' }, own);
  await addOlder('done@x.test', { nextAttemptAt: null, crashes: MAX_CRASHES }, own);
  assert.equal(await runContracts(own.url, () => true), true);
  assert.deepEqual(await work(own), ['due@x.test', 'flight@x.test', 'parked@x.test']);
  const rows = await own.database.selectFrom('queue').selectAll().orderBy('address').execute();
  assert.deepEqual(
    rows.map((row) => [row.crashes, row.leaseId, row.inFlight, row.destination]),
    [
      [0, null, false, null],
      [2, null, false, null],
      [0, null, false, 'x.test'],
    ],
  );
  assert.equal((await rowOf(own.database, 'done@x.test')).crashes, MAX_CRASHES);
  // One that began before finds it gone, and one that begins now does not look.
  assert.equal(await older.takeOver(), false);
  assert.equal(await new OlderCode(own.database, async () => {}).takeOver(), false);
  await queueEmailTo(own.database, ['new@x.test']);
  assert.equal((await work(own)).length, 4);
});
