import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { newEmail } from '../../test/support/emails.ts';
import { eventually } from '../../test/support/eventually.ts';
import { sealedDatabase, type TestDatabase } from '../../test/support/postgres.ts';
import { emptyQueue } from '../../test/support/queue-rows.ts';
import { Blobs } from '../blobs/blobs.ts';
import { ObjectFiles } from '../blobs/object-files.ts';
import { FULL_SHARE, type WorkerShare } from '../concurrency/share.ts';
import { within } from '../concurrency/within.ts';
import type { Sealer } from '../db/seal.ts';
import { SharedStatements } from '../db/shared-statements.ts';
import { DkimKeyring } from '../domains/dkim-keyring.ts';
import { ensureHostedDomain } from '../domains/hosted.ts';
import { newUuid } from '../model/ids.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import { pauseDestination, PausedDestinations } from '../queue/paused-destinations.ts';
import { pauseSending, PauseWatch, resumeSending } from '../queue/pause.ts';
import { ProviderWatch } from '../queue/provider-kind.ts';
import { RETURN_PATH_KEY, ReturnPaths } from '../reports/return-path.ts';
import { insertEmails } from '../sending/accept/insert-emails.ts';
import type { Outcome } from '../sending/deliver/provider.ts';
import { ServiceBodies } from '../sending/service-mail/service-bodies.ts';
import { TRACKING_KEY, TrackingLinks } from '../sending/track/tracking-links.ts';
import { Worker } from './run-worker.ts';

const HOSTED_DOMAIN = 'posthorn.localhost';
const PATIENCE_MS = 5_000;
const HOUR_MS = 3_600_000;
let db: TestDatabase & { sealer: Sealer };
before(async () => {
  db = await sealedDatabase();
  await ensureHostedDomain(db.database, db.sealer, HOSTED_DOMAIN);
});
afterEach(async () => {
  await resumeSending(db.database);
  await emptyQueue(db.database);
  await sql`truncate destination_holds`.execute(db.database);
});
after(() => db[Symbol.asyncDispose]());

const ACCEPTED: Outcome = {
  outcome: 'accepted',
  reply: { replyCode: 250, enhancedCode: null, text: 'ok', remoteMta: null, tls: false, dialogue: null },
  providerMessageId: null,
};

/** A part of the worker that only counts its calls. */
class CountedPart implements AsyncDisposable {
  ticks = 0;
  wakes = 0;
  async tick(): Promise<void> {
    this.ticks += 1;
  }
  readonly wake = (): void => {
    this.wakes += 1;
  };
  async [Symbol.asyncDispose](): Promise<void> {}
}

interface Script {
  shared?: SharedStatements;
  share?: WorkerShare;
  standInMs?: number;
}

async function start({
  shared = new SharedStatements(db.database),
  share = FULL_SHARE,
  standInMs = HOUR_MS,
}: Script = {}) {
  const logged: string[] = [];
  /** The recipients in the order in which the provider received their messages. */
  const sent: string[] = [];
  const logger = pino({}, { write: (line: string) => logged.push(line) });
  const { database, sealer } = db;
  const pausedDestinations = new PausedDestinations(database);
  const webhooks = new CountedPart();
  const jobs = {
    retention: new CountedPart(),
    judge: new CountedPart(),
    counter: new CountedPart(),
    indexer: new CountedPart(),
  };
  /** Called at each tick. */
  const scanner = new CountedPart();
  const worker = await Worker.start({
    database,
    shared,
    databaseUrl: db.url,
    keyring: new DkimKeyring(database, sealer, HOSTED_DOMAIN),
    returnPaths: new ReturnPaths(sealer.deriveKey(RETURN_PATH_KEY)),
    trackingLinks: new TrackingLinks(sealer.deriveKey(TRACKING_KEY)),
    blobs: new Blobs(database, new ObjectFiles('/nowhere')),
    serviceBodies: new ServiceBodies(database, sealer),
    provider: {
      isFinal: true,
      capacity: 10,
      destinations: null,
      send: async ({ rcptTo }) => {
        sent.push(rcptTo);
        return ACCEPTED;
      },
      close: async () => {},
    },
    logger,
    webhooks,
    routes: new CountedPart(),
    ...jobs,
    scanner,
    replays: new CountedPart(),
    domains: new CountedPart(),
    notices: new CountedPart(),
    outgoing: new CountedPart(),
    snoozes: new CountedPart(),
    pause: new PauseWatch(database, logger),
    agreement: new ProviderWatch(database, { provider: 'sandbox', isProviderNamed: true }, logger),
    pausedDestinations,
    keepDays: null,
    share: () => share,
    processId: newUuid(),
    living: () => null,
    leaseId: newUuid(),
    deadLeaseIds: [],
    timings: { tickMs: 100, standInMs },
  });
  return { worker, pausedDestinations, webhooks, jobs, scanner, logged, sent };
}

/** Statements whose first response arrives only when `release` is called. */
function withFirstResponseDelayed() {
  const released = Promise.withResolvers<void>();
  const counts = { arrived: 0, passed: 0 };
  const database = db.database.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      counts.arrived += 1;
      if (counts.arrived === 1) await released.promise;
      counts.passed += 1;
      return result;
    },
  });
  return { shared: new SharedStatements(database), counts, release: released.resolve };
}

const hasArrived = (counts: { arrived: number }) => eventually(() => counts.arrived > 0, PATIENCE_MS);

test('a poll whose response is late does not undo a pause that the worker has noticed in the meantime', async () => {
  const { shared, counts, release } = withFirstResponseDelayed();
  const { worker, pausedDestinations, logged } = await start({ shared });
  try {
    assert.ok(await hasArrived(counts));
    await pauseSending(db.database, new Date());
    await pauseDestination(db.database, 'dst.test', new Date());
    assert.ok(await eventually(() => pausedDestinations.isPaused('dst.test'), PATIENCE_MS));
    release();
    // The next poll begins after the result of the first poll was handled.
    assert.ok(await eventually(() => counts.passed > 1, PATIENCE_MS));
    assert.ok(logged.some((line) => line.includes(LOG_MESSAGES.sendingPaused)));
    assert.deepEqual(
      logged.filter((line) => line.includes(LOG_MESSAGES.sendingResumed)),
      [],
    );
  } finally {
    release();
    await worker[Symbol.asyncDispose]();
  }
});

test('a stop does not wait for the response to a poll, and the response then begins nothing', async () => {
  const { shared, counts, release } = withFirstResponseDelayed();
  const { worker, jobs } = await start({ shared });
  try {
    assert.ok(await hasArrived(counts));
    const stopped = worker[Symbol.asyncDispose]().then(() => true);
    assert.ok(await within(PATIENCE_MS, stopped, false));
    const { ticks } = jobs.retention;
    release();
    await shared.settled();
    await new Promise(setImmediate);
    assert.equal(jobs.retention.ticks, ticks);
  } finally {
    release();
  }
});

test('due mail and webhooks are sent while the settings and the paused destinations are locked', async () => {
  const { worker, webhooks, sent } = await start();
  try {
    assert.ok(await eventually(() => worker.isAtWork, PATIENCE_MS));
    await insertEmails(db.database, [newEmail({ scheduledAt: new Date(Date.now() + HOUR_MS) })]);
    await db.database.transaction().execute(async (tx) => {
      await sql`lock table settings, destination_holds in access exclusive mode`.execute(tx);
      const { wakes } = webhooks;
      assert.ok(await eventually(() => webhooks.wakes > wakes, PATIENCE_MS));
      await sql`update queue set next_attempt_at = now()`.execute(db.database);
      assert.ok(await eventually(() => sent.length > 0, PATIENCE_MS));
    });
  } finally {
    await worker[Symbol.asyncDispose]();
  }
});

test('only the first worker tries the background jobs at every poll', async () => {
  const first = await start();
  const second = await start({ share: { index: 1, count: 2 } });
  try {
    assert.ok(
      await eventually(
        () => Object.values(first.jobs).every(({ ticks }) => ticks > 1) && second.scanner.ticks > 1,
        PATIENCE_MS,
      ),
    );
    assert.deepEqual(
      Object.values(second.jobs).map(({ ticks }) => ticks),
      [0, 0, 0, 0],
    );
  } finally {
    await Promise.all([first.worker[Symbol.asyncDispose](), second.worker[Symbol.asyncDispose]()]);
  }
});

test('the other workers try the background jobs after a while, because the first worker may hang', async () => {
  const { worker, jobs } = await start({ share: { index: 1, count: 2 }, standInMs: 0 });
  try {
    assert.ok(await eventually(() => Object.values(jobs).every(({ ticks }) => ticks > 0), PATIENCE_MS));
  } finally {
    await worker[Symbol.asyncDispose]();
  }
});
