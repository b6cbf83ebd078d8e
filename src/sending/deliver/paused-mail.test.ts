/** Destinations that an operator has paused. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import {
  OFTEN,
  startDelivery,
  type TestDelivery,
  VerifiedSenders,
} from '../../../test/support/deliveries.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { sealedDatabase, type TestDatabase } from '../../../test/support/postgres.ts';
import { destinationRow, emptyQueue, rowOf, setFailingSince } from '../../../test/support/queue-rows.ts';
import type { Sealer } from '../../db/seal.ts';
import { DAY_MS } from '../../model/day.ts';
import { firstUuidAt } from '../../model/ids.ts';
import { closeDestination } from '../../queue/destinations.ts';
import {
  pauseDestination,
  PausedDestinations,
  resumeDestination,
  tryDestination,
} from '../../queue/paused-destinations.ts';
import type { Outcome, Provider } from './provider.ts';

const PATIENCE_MS = 15_000;
const SAID = {
  replyCode: 421,
  enhancedCode: null,
  text: 'not now',
  remoteMta: null,
  tls: false,
  dialogue: null,
};
const TAKEN: Outcome = { outcome: 'accepted', providerMessageId: null, reply: { ...SAID, replyCode: 250 } };
const LATER: Outcome = { outcome: 'transient', scope: 'message', reply: { ...SAID, replyCode: 451 } };
const AWAY: Outcome = { outcome: 'transient', scope: 'host', reply: SAID };

let db: TestDatabase & { sealer: Sealer };
let senders: VerifiedSenders;
let sent: string[] = [];
let answer: Outcome = TAKEN;

before(async () => {
  db = await sealedDatabase();
  senders = new VerifiedSenders(db);
});
beforeEach(async () => {
  await emptyQueue(db.database);
  await sql`truncate destination_holds`.execute(db.database);
  sent = [];
  answer = TAKEN;
});
after(() => db[Symbol.asyncDispose]());

function providerOf(destinations: Provider['destinations']): Provider {
  return {
    isFinal: true,
    capacity: 100,
    destinations,
    async send({ rcptTo }) {
      sent.push(rcptTo);
      return answer;
    },
    close: async () => {},
  };
}

const DIRECT = providerOf({ capacityLeft: () => 10, hasSlot: () => true, maxConnections: 500 });
const ONE_WAY = providerOf(null);

/** A worker that reads the paused destinations when `poll` is called. */
async function startWorker(provider: Provider) {
  const pausedDestinations = new PausedDestinations(db.database);
  await pausedDestinations.poll();
  const worker: TestDelivery = await startDelivery(db, provider, { ...OFTEN, pausedDestinations });
  return {
    async poll() {
      if (await pausedDestinations.poll()) await worker.delivery.parkPaused();
      worker.delivery.wake();
    },
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  };
}

const pause = () => pauseDestination(db.database, 'gmx.test', new Date());
const resume = () => db.database.transaction().execute((tx) => resumeDestination(tx, 'gmx.test', new Date()));

const isDone = (address: string) =>
  eventually(async () => (await rowOf(db.database, address)).nextAttemptAt === null, PATIENCE_MS);
const isParked = (address: string) =>
  eventually(async () => (await rowOf(db.database, address)).destination === 'gmx.test', PATIENCE_MS);

for (const [way, provider] of [
  ['a destination of direct delivery', DIRECT],
  ['a destination behind a smart host', ONE_WAY],
] as const) {
  describe(way, () => {
    test('a paused destination gets no mail, and gets all of it when it is resumed', async () => {
      assert.ok(await pause());
      assert.ok(!(await pause()));
      await senders.queue(['a.example', 'a@gmx.test'], ['a.example', 'b@other.test']);
      await using worker = await startWorker(provider);
      assert.ok((await isParked('a@gmx.test')) && (await isDone('b@other.test')));
      assert.deepEqual(sent, ['b@other.test']);
      const events = await db.database
        .selectFrom('events')
        .selectAll()
        .where('recipient', '=', 'a@gmx.test')
        .execute();
      assert.deepEqual(events, []);
      assert.ok(await resume());
      assert.ok(!(await resume()));
      await worker.poll();
      assert.ok(await isDone('a@gmx.test'));
      assert.ok(
        await eventually(
          async () => (await destinationRow(db.database, 'gmx.test')) === undefined,
          PATIENCE_MS,
        ),
      );
    });

    test('a paused destination gets no more mail once a running worker has polled', async () => {
      await using worker = await startWorker(provider);
      await pause();
      await worker.poll();
      await senders.queue(['a.example', 'a@gmx.test']);
      await worker.poll();
      assert.ok(await isParked('a@gmx.test'));
      assert.deepEqual(sent, []);
    });

    test('paused mail is retried for three days from the resumption', async () => {
      answer = LATER;
      await pause();
      await senders.queue(['a.example', 'a@gmx.test', firstUuidAt(new Date(Date.now() - 5 * DAY_MS))]);
      await using worker = await startWorker(provider);
      assert.ok(await isParked('a@gmx.test'));
      await resume();
      await worker.poll();
      assert.ok(
        await eventually(async () => (await rowOf(db.database, 'a@gmx.test')).attempts === 1, PATIENCE_MS),
      );
    });
  });
}

test('a failing destination is not attempted while it is paused, and its three days start again when it is resumed', async () => {
  answer = AWAY;
  await closeDestination(db.database, 'gmx.test', 0, 60_000, SAID);
  await setFailingSince(db.database, 'gmx.test', '-4 days');
  await senders.queue(
    ['a.example', 'a@gmx.test'],
    ['a.example', 'b@gmx.test', firstUuidAt(new Date(Date.now() - 5 * DAY_MS))],
  );
  await pause();
  await using worker = await startWorker(DIRECT);
  assert.ok((await isParked('a@gmx.test')) && (await isParked('b@gmx.test')));
  await db.database.transaction().execute((tx) => tryDestination(tx, 'gmx.test'));
  await worker.poll();
  assert.deepEqual(sent, []);
  await resume();
  await worker.poll();
  assert.ok(
    await eventually(
      async () => (await destinationRow(db.database, 'gmx.test'))?.failures === 2,
      PATIENCE_MS,
    ),
  );
  // The mail did not expire. It is parked again.
  assert.ok(await isParked('b@gmx.test'));
});

test('an operator can make a failing destination due for an attempt at once', async () => {
  await closeDestination(db.database, 'gmx.test', 4, 3_600_000, SAID);
  await senders.queue(['a.example', 'a@gmx.test']);
  await using worker = await startWorker(DIRECT);
  assert.ok(await isParked('a@gmx.test'));
  assert.ok(await db.database.transaction().execute((tx) => tryDestination(tx, 'gmx.test')));
  await worker.poll();
  assert.ok(await isDone('a@gmx.test'));
});
