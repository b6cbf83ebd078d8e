import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { PROJECT, queueEmailTo } from '../../test/support/emails.ts';
import { eventually } from '../../test/support/eventually.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import {
  addBacklogs,
  claimRows,
  emptyQueue,
  makeDestinationsDue,
  park,
  setEmailId,
} from '../../test/support/queue-rows.ts';
import { firstUuidAt, newUuid, timeOf } from '../model/ids.ts';
import type { ClaimedRow } from './claim.ts';
import {
  claimParked,
  type ClaimParkedOptions,
  closeDestination,
  findDestinations,
  type ForDestination,
  forgetDestination,
  openDestination,
  parkDue,
  parkUnstarted,
  passOn,
  claimDueDestinations,
} from './destinations.ts';
import { endLease } from './end-lease.ts';
import { Lease } from './lease.ts';
import { type Settlement, settling } from './settle.ts';

const REPLY = { text: 'no connection' };
const LIMITS = { backlogs: 10, failing: 10 };
let db: TestDatabase;
let lease: Lease;
const leases: Lease[] = [];

before(async () => {
  db = await testDatabase();
});
beforeEach(async () => {
  await emptyQueue(db.database);
  lease = await newLease();
});
after(async () => {
  for (const each of leases) each.stop();
  await db[Symbol.asyncDispose]();
});

async function newLease(): Promise<Lease> {
  const begun = await Lease.begin(db.database, newUuid(), 'test');
  leases.push(begun);
  return begun;
}

/** Queues one email to each address, in the given order. */
async function queue(...addresses: string[]): Promise<void> {
  await queueEmailTo(db.database, addresses);
}

function addressesOf(rows: readonly { address: string }[]): string[] {
  return rows.map(({ address }) => address).toSorted();
}

async function claimParkedRows(
  ...args: [leaseId: string, destination: string, limit: number, options?: ClaimParkedOptions]
): Promise<ClaimedRow[]> {
  return (await claimParked(db.database, ...args)).rows;
}

/** Mail for one destination, in the stream that `queue` fills. */
function crowded(destination: string): ForDestination {
  return { projectId: PROJECT, stream: 'transactional', destination };
}

async function settle(rows: readonly ClaimedRow[], settlement: Settlement): Promise<void> {
  const settled = settling(
    lease.leaseId,
    rows.map((row) => ({ ...row, settlement })),
  );
  await sql`with ${settled.sql} select from ${settled.name}`.execute(db.database);
}

async function known(name: string) {
  return (await findDestinations(db.database, [name]))[0];
}

test('a parked row is not due, and its destination has a backlog', async () => {
  await queue('a@one.test', 'b@two.test');
  const rows = await claimRows(db.database, lease.leaseId, 10);
  await parkUnstarted(
    db.database,
    lease.leaseId,
    rows.filter(({ address }) => address === 'a@one.test'),
    'one.test',
  );
  await endLease(db.database, lease.leaseId, 'dead', async () => {});
  const next = await newLease();
  assert.deepEqual(addressesOf(await claimRows(db.database, next.leaseId, 10)), ['b@two.test']);
  assert.equal((await known('one.test'))?.failures, 0);
});

test('a row settled as parked waits for its destination, and the attempt is counted', async () => {
  await queue('a@one.test');
  await settle(await claimRows(db.database, lease.leaseId, 10), {
    kind: 'parked',
    destination: 'one.test',
    wasAttempted: true,
  });
  assert.deepEqual(await claimRows(db.database, lease.leaseId, 10), []);
  const [row] = await claimParkedRows(lease.leaseId, 'one.test', 10);
  assert.deepEqual([row?.address, row?.attempts], ['a@one.test', 1]);
});

test('parked rows are claimed by destination, oldest first', async () => {
  await queue('a@one.test', 'b@one.test', 'c@one.test', 'd@two.test');
  await parkDue(db.database, ['one.test', 'two.test'].map(crowded), 10);
  assert.deepEqual(addressesOf(await claimParkedRows(lease.leaseId, 'one.test', 2)), [
    'a@one.test',
    'b@one.test',
  ]);
  assert.deepEqual(addressesOf(await claimParkedRows(lease.leaseId, 'one.test', 2)), ['c@one.test']);
});

test('two workers that claim the same backlog never get the same row', async () => {
  await queue(...Array.from({ length: 100 }, (_, at) => `${at}@one.test`));
  await parkDue(db.database, ['one.test'].map(crowded), 100);
  const other = await newLease();
  const claims = await Promise.all(
    [lease, other, lease, other].map(({ leaseId }) => claimParkedRows(leaseId, 'one.test', 30)),
  );
  const addresses = addressesOf(claims.flat());
  assert.equal(new Set(addresses).size, addresses.length);
  assert.ok(addresses.length >= 90);
});

test('rows that a dead worker claimed from a backlog become due again', async () => {
  await queue('a@one.test');
  await parkDue(db.database, ['one.test'].map(crowded), 10);
  await claimParkedRows(lease.leaseId, 'one.test', 10);
  await endLease(db.database, lease.leaseId, 'dead', async () => {});
  const next = await newLease();
  assert.equal((await claimRows(db.database, next.leaseId, 10)).length, 1);
});

test('an ended lease claims no parked rows', async () => {
  await queue('a@one.test');
  await parkDue(db.database, ['one.test'].map(crowded), 10);
  await endLease(db.database, lease.leaseId, 'dead', async () => {});
  assert.deepEqual(await claimParkedRows(lease.leaseId, 'one.test', 10), []);
});

test('a claim of parked rows with `before` claims only rows of emails created earlier', async () => {
  await queue('old@one.test');
  await setEmailId(db.database, firstUuidAt(new Date(Date.now() - 1_000_000)));
  await queue('young@one.test');
  await park(db.database, 'one.test');
  const before = new Date(Date.now() - 500_000);
  const rows = await claimParkedRows(lease.leaseId, 'one.test', 10, { before });
  assert.deepEqual(addressesOf(rows), ['old@one.test']);
  assert.ok(timeOf(rows[0]?.emailId ?? '').getTime() < Date.now() - 500_000);
});

test('parking due rows skips rows of other destinations and stops at its limit', async () => {
  await queue('a@one.test', 'b@one.test', 'c@one.test', 'd@two.test');
  assert.equal(await parkDue(db.database, ['one.test'].map(crowded), 2), 2);
  assert.deepEqual(addressesOf(await claimRows(db.database, lease.leaseId, 10)), [
    'c@one.test',
    'd@two.test',
  ]);
});

test('parking due rows scans only as many rows as its limit', async () => {
  await queue('a@two.test', 'b@two.test', 'c@one.test');
  assert.equal(await parkDue(db.database, ['one.test'].map(crowded), 2), 0);
  assert.equal(await parkDue(db.database, ['one.test'].map(crowded), 3), 1);
});

test('an IP address literal is a destination', async () => {
  await queue('a@[192.0.2.1]');
  assert.equal(await parkDue(db.database, ['[192.0.2.1]'].map(crowded), 10), 1);
});

test('only one worker claims a failing destination that is due', async () => {
  await closeDestination(db.database, 'one.test', 0, 60_000, REPLY);
  assert.deepEqual(await claimDueDestinations(db.database, LIMITS), []);
  await makeDestinationsDue(db.database);
  const taken = await Promise.all([
    claimDueDestinations(db.database, LIMITS),
    claimDueDestinations(db.database, LIMITS),
  ]);
  assert.deepEqual(
    taken.flat().map(({ name, failures, reply }) => ({ name, failures, reply })),
    [{ name: 'one.test', failures: 1, reply: REPLY }],
  );
});

test('closing a destination concurrently in several workers counts as one failure', async () => {
  await Promise.all([1, 2, 3].map(() => closeDestination(db.database, 'one.test', 0, 60_000, REPLY)));
  assert.equal((await known('one.test'))?.failures, 1);
  await closeDestination(db.database, 'one.test', 1, 60_000, REPLY);
  assert.equal((await known('one.test'))?.failures, 2);
});

test('an opened destination is due at once and has no failures', async () => {
  await closeDestination(db.database, 'one.test', 4, 60_000, REPLY);
  await openDestination(db.database, 'one.test');
  const [destination] = await claimDueDestinations(db.database, LIMITS);
  assert.deepEqual([destination?.failures, destination?.reply], [0, null]);
});

test('claimDueDestinations limits failing destinations and backlogs separately', async () => {
  for (const name of ['a.test', 'b.test', 'c.test']) {
    await closeDestination(db.database, name, 0, 0, REPLY);
  }
  await queue('a@one.test', 'b@two.test');
  await parkDue(db.database, ['one.test', 'two.test'].map(crowded), 10);
  const taken = await claimDueDestinations(db.database, { backlogs: 10, failing: 1 });
  assert.deepEqual(taken.map(({ failures }) => failures).toSorted(), [0, 0, 1]);
  assert.equal((await claimDueDestinations(db.database, { backlogs: 10, failing: 10 })).length, 2);
});

test('a destination is deleted only if no rows are parked for it', async () => {
  await queue('a@one.test');
  await parkDue(db.database, ['one.test'].map(crowded), 10);
  await forgetDestination(db.database, 'one.test');
  assert.ok(await known('one.test'));
  await claimParkedRows(lease.leaseId, 'one.test', 10);
  await forgetDestination(db.database, 'one.test');
  assert.equal(await known('one.test'), undefined);
});

test('deleting a destination while rows are parked concurrently leaves no parked row without a destination', async () => {
  for (let round = 0; round < 10; round++) {
    await queue(...Array.from({ length: 20 }, (_, at) => `${round}-${at}@one.test`));
    const rows = await claimRows(db.database, lease.leaseId, 20);
    await Promise.all(
      rows.flatMap((row) => [
        parkUnstarted(db.database, lease.leaseId, [row], 'one.test'),
        forgetDestination(db.database, 'one.test'),
      ]),
    );
    assert.ok(await known('one.test'));
    await claimParkedRows(lease.leaseId, 'one.test', 100);
  }
});

test('a destination whose rows are parked for other workers is due at once, unless it is failing', async () => {
  await queue('a@one.test', 'b@two.test');
  await addBacklogs(db.database, ['one.test']);
  await claimDueDestinations(db.database, LIMITS);
  await closeDestination(db.database, 'two.test', 0, 60_000, REPLY);
  for (const row of await claimRows(db.database, lease.leaseId, 2)) {
    const name = row.address.slice(2);
    await parkUnstarted(db.database, lease.leaseId, [row], name, { isForOthers: true });
  }
  const due = await claimDueDestinations(db.database, LIMITS);
  assert.deepEqual(
    due.map(({ name }) => name),
    ['one.test'],
  );
});

test('passOn locks destinations in the same order as statements that park rows', async () => {
  await addBacklogs(db.database, ['two.test', 'one.test']);
  let passing: Promise<void> | undefined;
  await db.database.transaction().execute(async (tx) => {
    const lock = (name: string) =>
      sql`select from destinations where name = ${name} for update nowait`.execute(tx);
    await lock('one.test');
    passing = passOn(db.database, ['two.test', 'one.test']);
    const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    assert.ok(await eventually(async () => (await waiting.execute(db.database)).rows.length > 0, 2_000));
    await lock('two.test');
  });
  await passing;
});
