import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { queueEmailTo } from '../../test/support/emails.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import {
  destinationRow,
  emptyQueue,
  makeDestinationsDue,
  park,
  parkedRows,
  rowsOf,
  setFailingSince,
} from '../../test/support/queue-rows.ts';
import {
  closeDestination,
  findDestinations,
  forgetDestination,
  openDestination,
  rememberProbe,
  claimDueDestinations,
} from './destinations.ts';
import { domainOf, nameOfSender, rejectsAnotherSender, rejoinBacklog } from './rejected-senders.ts';

const REPLY = { text: 'not from you' };
const LIMITS = { backlogs: 10, failing: 10 };
const BAD = nameOfSender('gmx.test', 'bad.example');
const WORSE = nameOfSender('gmx.test', 'worse.example');
let db: TestDatabase;

before(async () => {
  db = await testDatabase();
});
beforeEach(async () => {
  await emptyQueue(db.database);
});
after(async () => {
  await db[Symbol.asyncDispose]();
});

async function claimNames(): Promise<string[]> {
  return (await claimDueDestinations(db.database, LIMITS)).map(({ name }) => name).toSorted();
}

test('domainOf returns the domain of a destination and of its rejected senders, even if the domain is an address literal', () => {
  assert.deepEqual([domainOf('gmx.test'), domainOf(BAD)], ['gmx.test', 'gmx.test']);
  assert.equal(domainOf(nameOfSender('[192.0.2.1]', 'bad.example')), '[192.0.2.1]');
});

test('findDestinations returns a destination and its rejected senders, and no other destination', async () => {
  for (const name of ['gmx.test', BAD, WORSE, 'gmx.test.example', nameOfSender('other.test', 'bad.example')])
    await closeDestination(db.database, name, 0, 60_000, REPLY);
  const found = await findDestinations(db.database, ['gmx.test']);
  assert.deepEqual(found.map(({ name }) => name).toSorted(), ['gmx.test', BAD, WORSE]);
});

test('a rejected sender is not probed while its whole destination is failing', async () => {
  await closeDestination(db.database, BAD, 0, 0, REPLY);
  await closeDestination(db.database, 'gmx.test', 0, 60_000, REPLY);
  assert.deepEqual(await claimNames(), []);
  await openDestination(db.database, 'gmx.test');
  assert.deepEqual(await claimNames(), ['gmx.test', BAD]);
});

test('rejectsAnotherSender is true only if the domain began to reject another sender recently', async () => {
  await closeDestination(db.database, BAD, 0, 60_000, REPLY);
  assert.equal(await rejectsAnotherSender(db.database, BAD, Number.POSITIVE_INFINITY), false);
  assert.equal(await rejectsAnotherSender(db.database, WORSE, Number.POSITIVE_INFINITY), true);
  await setFailingSince(db.database, BAD, '-1 hour');
  assert.equal(await rejectsAnotherSender(db.database, WORSE, 1_800_000), false);
  assert.equal(await rejectsAnotherSender(db.database, WORSE, 7_200_000), true);
  assert.equal(
    await rejectsAnotherSender(db.database, nameOfSender('other.test', 'x.example'), 7_200_000),
    false,
  );
});

test('when a domain accepts a sender again, the mail moves to the backlog of the domain and is never without a destination', async () => {
  await queueEmailTo(db.database, ['a@gmx.test', 'b@gmx.test', 'c@gmx.test']);
  await closeDestination(db.database, BAD, 0, 60_000, REPLY);
  await park(db.database, BAD);
  assert.equal(await rejoinBacklog(db.database, BAD, 2), 2);
  await forgetDestination(db.database, BAD);
  assert.deepEqual(await parkedRows(db.database), { parked: 3, orphans: 0 });
  assert.equal(await rejoinBacklog(db.database, BAD, 2), 1);
  await forgetDestination(db.database, BAD);
  assert.equal(await destinationRow(db.database, BAD), undefined);
  assert.equal((await destinationRow(db.database, 'gmx.test'))?.failures, 0);
  const destinations = new Set((await rowsOf(db.database)).map(({ destination }) => destination));
  assert.deepEqual([...destinations], ['gmx.test']);
});

test('a worker that claims a destination learns the stream of the last probe', async () => {
  const probed = { projectId: '00000000-0000-7000-8000-000000000001', stream: 'bulk' } as const;
  await closeDestination(db.database, 'gmx.test', 0, 0, REPLY);
  await rememberProbe(db.database, 'gmx.test', probed);
  const [taken] = await claimDueDestinations(db.database, LIMITS);
  assert.deepEqual(taken?.probed, probed);
  await closeDestination(db.database, 'gmx.test', 1, 60_000, REPLY);
  await makeDestinationsDue(db.database);
  assert.deepEqual((await claimDueDestinations(db.database, LIMITS))[0]?.probed, probed);
});

test('closeDestination returns how long the destination has been failing, and null to a worker that closes it too late', async () => {
  assert.equal(await closeDestination(db.database, 'gmx.test', 0, 0, REPLY), 0);
  await setFailingSince(db.database, 'gmx.test', '-1 hour');
  const failingMs = await closeDestination(db.database, 'gmx.test', 1, 0, REPLY);
  assert.ok(failingMs !== null && failingMs >= 3_600_000);
  assert.equal(await closeDestination(db.database, 'gmx.test', 1, 0, REPLY), null);
});
