// Runs in its own process: the tests take long and mostly wait.
import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { composingAll } from '../../../test/support/composing.ts';
import { newEmail } from '../../../test/support/emails.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { sealedDatabase, type TestDatabase } from '../../../test/support/postgres.ts';
import {
  addBacklogs,
  emptyQueue,
  lockRow,
  openDestinations,
  park,
  rowOf,
  setCrashes,
  setOctets,
} from '../../../test/support/queue-rows.ts';
import { type Database, openDatabase } from '../../db/database.ts';
import type { Sealer } from '../../db/seal.ts';
import { DkimKeyring } from '../../domains/dkim-keyring.ts';
import { EMAIL_STAGES } from '../../model/email-status.ts';
import { ensureHostedDomain } from '../../domains/hosted.ts';
import { newUuid } from '../../model/ids.ts';
import { closeDestination, claimDueDestinations } from '../../queue/destinations.ts';
import { endLease } from '../../queue/end-lease.ts';
import { pauseDestination, PausedDestinations } from '../../queue/paused-destinations.ts';
import { Lease } from '../../queue/lease.ts';
import { insertEmails } from '../accept/insert-emails.ts';
import { Delivery } from './delivery.ts';
import { destinationOf } from './destination-of.ts';
import type { AttemptReply, OutboundMessage, Outcome } from './provider.ts';

const HOSTED_DOMAIN = 'posthorn.localhost';
const PATIENCE_MS = 15_000;
const STOP_MS = 200;

let db: TestDatabase & { sealer: Sealer };

before(async () => {
  db = await sealedDatabase();
  await ensureHostedDomain(db.database, db.sealer, HOSTED_DOMAIN);
});
beforeEach(async () => {
  await emptyQueue(db.database);
});
after(async () => {
  await db[Symbol.asyncDispose]();
});

interface Script {
  send(message: OutboundMessage): Outcome | Promise<Outcome>;
  /** The capacity of each destination. Default: 10. */
  capacityOfEach?: number;
  /** Whether all mail is sent to one server. */
  oneWay?: boolean;
  /** The capacity of the provider. Default: 100. */
  capacity?: number;
  onDoubt?(): void;
  /** Default: the database that all tests share. */
  database?: Database;
  /** Default: no destination is paused. */
  pausedDestinations?: PausedDestinations;
}

/** A worker that delivers to scripted destinations. */
class TestWorker implements AsyncDisposable {
  /** Messages in the order in which the provider received them. */
  readonly sent: OutboundMessage[] = [];
  readonly logged: string[] = [];
  readonly lease: Lease;
  readonly delivery: Delivery;
  readonly #inFlight = new Map<string, number>();

  private constructor(
    lease: Lease,
    {
      send,
      capacityOfEach = 10,
      oneWay = false,
      capacity = 100,
      onDoubt = () => {},
      database = db.database,
      pausedDestinations = new PausedDestinations(db.database),
    }: Script,
  ) {
    this.lease = lease;
    const change = (destination: string, by: number) =>
      this.#inFlight.set(destination, (this.#inFlight.get(destination) ?? 0) + by);
    this.delivery = new Delivery({
      pausedDestinations,
      database,
      lease,
      logger: pino({}, { write: (line: string) => this.logged.push(line) }),
      composing: composingAll(db.database, db.sealer, new DkimKeyring(db.database, db.sealer, HOSTED_DOMAIN)),
      onEvents: () => {},
      onDoubt,
      provider: {
        isFinal: true,
        capacity,
        destinations: oneWay
          ? null
          : {
              hasSlot: () => true,
              maxConnections: 500,
              capacityLeft: (destination) => capacityOfEach - (this.#inFlight.get(destination) ?? 0),
            },
        send: async (message) => {
          const destination = destinationOf(message.rcptTo);
          this.sent.push(message);
          change(destination, 1);
          try {
            return await send(message);
          } finally {
            change(destination, -1);
          }
        },
        close: async () => {},
      },
    });
  }

  static async start(script: Script): Promise<TestWorker> {
    return new TestWorker(await Lease.begin(db.database, newUuid(), 'test'), script);
  }

  get addresses(): string[] {
    return this.sent.map(({ rcptTo }) => rcptTo);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.delivery.stop(STOP_MS);
    await endLease(db.database, this.lease.leaseId, 'retired', async () => {});
    this.lease.stop();
  }
}

const SAID: AttemptReply = {
  replyCode: 250,
  enhancedCode: '2.0.0',
  text: 'ok',
  remoteMta: 'mx.one.test',
  tls: false,
  dialogue: null,
};
const TAKEN: Outcome = { outcome: 'accepted', reply: SAID, providerMessageId: null };
const AWAY: Extract<Outcome, { outcome: 'transient' }> = {
  outcome: 'transient',
  scope: 'host',
  reply: { ...SAID, replyCode: 421, enhancedCode: '4.3.2', text: 'not now' },
};

/** Queues an email to each address. Each email belongs to a different project. */
async function queue(...addresses: string[]): Promise<void> {
  await insertEmails(
    db.database,
    addresses.map((address) => newEmail({ projectId: newUuid(), to: [address], recipients: [address] })),
  );
}

async function failing(destination: string): Promise<void> {
  await closeDestination(db.database, destination, 0, 0, { ...AWAY.reply });
}

function isParked(address: string): Promise<boolean> {
  return eventually(async () => (await rowOf(db.database, address)).destination !== null, PATIENCE_MS);
}

function isDone(address: string): Promise<boolean> {
  return eventually(async () => (await rowOf(db.database, address)).nextAttemptAt === null, PATIENCE_MS);
}

/** Adds the address to the suppression list of the address's project. */
async function list(address: string): Promise<void> {
  const { projectId } = await rowOf(db.database, address);
  await sql`
    insert into suppressions (project_id, address, reason, created_at)
    values (${projectId}, ${address}, 'manual', now())`.execute(db.database);
}

/** The timeline of the email to an address, followed by the status of the email. */
async function storyOf(address: string): Promise<string[]> {
  const { emailId } = await rowOf(db.database, address);
  const events = await db.database
    .selectFrom('events')
    .select('type')
    .where('emailId', '=', emailId)
    .orderBy('id')
    .execute();
  const { status } = await db.database
    .selectFrom('emails')
    .select('status')
    .where('id', '=', emailId)
    .executeTakeFirstOrThrow();
  return [...events.map(({ type }) => type), `status ${EMAIL_STAGES[status]}`];
}

async function eventsOf(address: string) {
  return await db.database.selectFrom('events').selectAll().where('recipient', '=', address).execute();
}

test('the reason why mail waits for a destination does not reveal the message that found it unavailable', async () => {
  const refuse = ({ mailFrom, rcptTo }: OutboundMessage): Outcome => ({
    ...AWAY,
    reply: {
      ...AWAY.reply,
      text: `4.3.2 <${mailFrom}> is not welcome now`,
      dialogue: [{ atMs: 0, by: 'client', text: `RCPT TO:<${rcptTo}>` }],
    },
  });
  await queue('first@one.test', 'second@one.test');
  await using worker = await TestWorker.start({ capacityOfEach: 1, send: refuse });
  assert.ok((await isParked('first@one.test')) && (await isParked('second@one.test')));
  const [message, ...others] = worker.sent;
  assert.ok(message !== undefined && others.length === 0);
  const [tried, waiting] = worker.addresses.includes('first@one.test')
    ? ['first@one.test', 'second@one.test']
    : ['second@one.test', 'first@one.test'];
  assert.match(JSON.stringify(await eventsOf(tried)), /RCPT TO/);
  const details = JSON.stringify(await eventsOf(waiting));
  assert.match(details, /is not welcome now/);
  assert.ok(!details.includes(tried) && !details.includes(message.mailFrom), details);
  const stored = JSON.stringify(await db.database.selectFrom('destinations').selectAll().execute());
  assert.ok(!stored.includes(tried) && !stored.includes(message.mailFrom), stored);
});

test('parked mail is sent when another worker finds the destination available', async () => {
  let isAway = true;
  await queue('a@one.test');
  await using worker = await TestWorker.start({ send: () => (isAway ? AWAY : TAKEN) });
  assert.ok(await isParked('a@one.test'));
  isAway = false;
  await openDestinations(db.database);
  assert.ok(await isDone('a@one.test'), JSON.stringify(worker.addresses));
});

test('a probe to a suppressed recipient is followed by another probe', async () => {
  await queue('listed@one.test', 'b@one.test');
  await list('listed@one.test');
  await park(db.database, 'one.test');
  await failing('one.test');
  await using worker = await TestWorker.start({ send: () => TAKEN });
  assert.ok(await isDone('b@one.test'));
  assert.deepEqual(worker.addresses, ['b@one.test']);
});

test('a probe that fails in our own code is followed by another probe', async () => {
  await queue('poison@one.test', 'b@one.test');
  await park(db.database, 'one.test');
  await failing('one.test');
  await using worker = await TestWorker.start({
    send: ({ rcptTo }) => {
      if (rcptTo === 'poison@one.test') throw new Error('a bug');
      return TAKEN;
    },
  });
  assert.ok(await isDone('b@one.test'), JSON.stringify(worker.addresses));
  assert.equal((await rowOf(db.database, 'poison@one.test')).crashes, 1);
});

test('mail that is parked without an attempt keeps its crash count', async () => {
  await queue('a@one.test');
  await setCrashes(db.database, 1);
  await closeDestination(db.database, 'one.test', 0, 60_000, { ...AWAY.reply });
  await using worker = await TestWorker.start({ send: () => TAKEN });
  assert.ok(await isParked('a@one.test'));
  assert.deepEqual([worker.addresses, (await rowOf(db.database, 'a@one.test')).crashes], [[], 1]);
});

test('an email becomes sending at its first deferral, with or without an attempt, and no event is written twice', async () => {
  await queue('a@one.test');
  await closeDestination(db.database, 'one.test', 0, 60_000, { ...AWAY.reply });
  await using worker = await TestWorker.start({ send: () => TAKEN });
  assert.ok(await isParked('a@one.test'));
  assert.deepEqual(await storyOf('a@one.test'), ['queued', 'sending', 'deferred', 'status sending']);
  await openDestinations(db.database);
  assert.ok(await isDone('a@one.test'), JSON.stringify(worker.addresses));
  const story = ['queued', 'sending', 'deferred', 'sent', 'delivered', 'status delivered'];
  assert.deepEqual(await storyOf('a@one.test'), story);
});

test('mail that waits only for capacity at a destination stays queued', async () => {
  await queue(...Array.from({ length: 1_000 }, (_, at) => `${at}@one.test`));
  const blocked = Promise.withResolvers<Outcome>();
  await using worker = await TestWorker.start({ capacityOfEach: 1, send: () => blocked.promise });
  const parked = () =>
    db.database.selectFrom('queue').select('address').where('destination', '=', 'one.test').execute();
  assert.ok(await eventually(async () => worker.sent.length > 0 && (await parked()).length > 0, PATIENCE_MS));
  const [waiting] = await parked();
  assert.deepEqual(await storyOf(waiting?.address ?? ''), ['queued', 'status queued']);
  blocked.resolve(TAKEN);
});

test('an email whose recipients are all suppressed never becomes sending', async () => {
  await queue('a@one.test', 'away@two.test');
  await list('a@one.test');
  await list('away@two.test');
  await closeDestination(db.database, 'two.test', 0, 60_000, { ...AWAY.reply });
  await using worker = await TestWorker.start({ send: () => TAKEN });
  for (const address of ['a@one.test', 'away@two.test']) {
    assert.ok(await isDone(address));
    assert.deepEqual(await storyOf(address), ['queued', 'failed', 'status failed']);
  }
  assert.deepEqual(worker.addresses, []);
});

test('an email fails and is not sent if its domain was removed from the project', async () => {
  const recipients = ['a@one.test', 'b@two.test'];
  const sender = 'me@removed.example';
  await insertEmails(db.database, [newEmail({ sender, to: recipients, recipients })]);
  await using worker = await TestWorker.start({ send: () => TAKEN });
  assert.ok((await isDone('a@one.test')) && (await isDone('b@two.test')));
  assert.deepEqual(worker.addresses, []);
  assert.deepEqual(await storyOf('a@one.test'), ['queued', 'sending', 'failed', 'failed', 'status failed']);
  const [failed, ...others] = await eventsOf('a@one.test');
  assert.deepEqual(others, []);
  assert.partialDeepStrictEqual(failed?.detail, { recipient: 'a@one.test', reason: 'domain_not_verified' });
});

test('a probe is followed by another probe if the domain of its email was removed from the project', async () => {
  await insertEmails(db.database, [
    newEmail({ sender: 'me@removed.example', to: ['a@one.test'], recipients: ['a@one.test'] }),
  ]);
  await queue('b@one.test');
  await park(db.database, 'one.test');
  await failing('one.test');
  await using worker = await TestWorker.start({ send: () => TAKEN });
  assert.ok(await isDone('b@one.test'));
  assert.deepEqual(worker.addresses, ['b@one.test']);
});

test('an email becomes sending if one of its recipients is not suppressed', async () => {
  const recipients = ['listed@one.test', 'b@one.test'];
  await insertEmails(db.database, [newEmail({ to: recipients, recipients })]);
  await list('listed@one.test');
  await using worker = await TestWorker.start({ send: () => TAKEN });
  assert.ok((await isDone('listed@one.test')) && (await isDone('b@one.test')));
  const [queued, sending, ...others] = await storyOf('b@one.test');
  assert.deepEqual([queued, sending, others.at(-1)], ['queued', 'sending', 'status failed']);
  assert.deepEqual(worker.addresses, ['b@one.test']);
});

test('a statement that times out is retried, and no crash is counted', async () => {
  const hurried = openDatabase(db.url, { statementTimeoutMs: 300 });
  await queue('a@one.test');
  const { emailId } = await rowOf(db.database, 'a@one.test');
  await using worker = await TestWorker.start({ send: () => TAKEN, database: hurried });
  await db.database.transaction().execute(async (tx) => {
    await sql`select from emails where id = ${emailId} for update`.execute(tx);
    worker.delivery.wake();
    assert.ok(
      await eventually(() => worker.logged.some((line) => line.includes('"step":"begin"')), PATIENCE_MS),
    );
  });
  worker.delivery.wake();
  assert.ok(await isDone('a@one.test'));
  assert.deepEqual(await storyOf('a@one.test'), [
    'queued',
    'sending',
    'sent',
    'delivered',
    'status delivered',
  ]);
  assert.equal((await rowOf(db.database, 'a@one.test')).crashes, 0);
  await hurried.destroy();
});

/**
 * Counts how often the lease is in doubt while the table of destinations is locked. The lock ends after the claim has failed and `then` has
 * resolved.
 */
async function doubtsWithoutDestinations(
  pausedDestinations: PausedDestinations,
  then: () => Promise<boolean>,
): Promise<number> {
  const hurried = openDatabase(db.url, { statementTimeoutMs: 300 });
  let doubts = 0;
  await queue('a@one.test');
  {
    await using worker = await TestWorker.start({
      send: () => TAKEN,
      database: hurried,
      pausedDestinations,
      onDoubt: () => {
        doubts += 1;
      },
    });
    await db.database.transaction().execute(async (tx) => {
      await sql`lock table destinations in access exclusive mode`.execute(tx);
      const hasFailed = () => worker.logged.some((line) => line.includes('"step":"claim"'));
      assert.ok(await eventually(hasFailed, PATIENCE_MS));
    });
    assert.ok(await then());
  }
  await hurried.destroy();
  return doubts;
}

test('a lease that cannot read the destinations of its rows is not in doubt, and sends once it can read them', async () => {
  const isSent = () => isDone('a@one.test');
  assert.equal(await doubtsWithoutDestinations(new PausedDestinations(db.database), isSent), 0);
});

test('a lease whose rows may have been parked by a failed claim is in doubt exactly once', async () => {
  await pauseDestination(db.database, 'one.test', new Date());
  const pausedDestinations = new PausedDestinations(db.database);
  await pausedDestinations.poll();
  assert.equal(await doubtsWithoutDestinations(pausedDestinations, async () => true), 1);
  await sql`truncate destination_holds`.execute(db.database);
});

test('large messages to a very slow server do not delay small messages', async () => {
  await queue(...Array.from({ length: 10 }, (_, at) => `${at}@slow.test`));
  await setOctets(db.database, 4 * 1024 * 1024);
  const blocked = Promise.withResolvers<Outcome>();
  await using worker = await TestWorker.start({
    send: ({ rcptTo }) => (rcptTo.endsWith('@slow.test') ? blocked.promise : TAKEN),
  });
  assert.ok(await eventually(() => worker.sent.length === 8, PATIENCE_MS), `${worker.sent.length}`);
  await queue('quick@live.test');
  worker.delivery.wake();
  assert.ok(await isDone('quick@live.test'));
  blocked.resolve(TAKEN);
});

test('many small messages to a busy destination do not delay a large message', async () => {
  const blocked = Promise.withResolvers<Outcome>();
  await queue('first@busy.test');
  await using worker = await TestWorker.start({
    capacityOfEach: 1_000,
    capacity: 1_000,
    send: ({ rcptTo }) => (/^\d+@busy/.test(rcptTo) ? blocked.promise : TAKEN),
  });
  assert.ok(await isDone('first@busy.test'));
  await queue(...Array.from({ length: 540 }, (_, at) => `${at}@busy.test`));
  await setOctets(db.database, 64 * 1024);
  worker.delivery.wake();
  assert.ok(await eventually(() => worker.sent.length === 541, PATIENCE_MS), `${worker.sent.length}`);
  await queue('large@live.test');
  await setOctets(db.database, 100 * 1024, { address: 'large@live.test' });
  worker.delivery.wake();
  assert.ok(await isDone('large@live.test'));
  blocked.resolve(TAKEN);
});

test('only 8 copies of a large tracked email are in memory at a time', async () => {
  const recipients = Array.from({ length: 20 }, (_, at) => `${at}@slow.test`);
  const tracking = { opens: true, clicks: true, unsubscribe: false, base_url: 'https://mail.acme.example' };
  await insertEmails(db.database, [newEmail({ to: recipients, recipients, tracking })]);
  await setOctets(db.database, 4 * 1024 * 1024);
  const blocked = Promise.withResolvers<Outcome>();
  await using worker = await TestWorker.start({
    capacityOfEach: 20,
    send: ({ rcptTo }) => (rcptTo.endsWith('@slow.test') ? blocked.promise : TAKEN),
  });
  assert.ok(await eventually(() => worker.sent.length >= 8, PATIENCE_MS), `${worker.sent.length}`);
  await queue('quick@live.test');
  worker.delivery.wake();
  assert.ok(await isDone('quick@live.test'));
  assert.equal(worker.addresses.filter((address) => address.endsWith('@slow.test')).length, 8);
  blocked.resolve(TAKEN);
  for (const recipient of recipients) assert.ok(await isDone(recipient));
  assert.equal(worker.sent.length, 21);
});

test('silent servers leave slots to a server that responds', async () => {
  const blocked = Promise.withResolvers<Outcome>();
  await queue('a@live.test');
  await using worker = await TestWorker.start({
    send: ({ rcptTo }) => (rcptTo.endsWith('@live.test') ? TAKEN : blocked.promise),
  });
  assert.ok(await isDone('a@live.test'));
  await queue(...Array.from({ length: 200 }, (_, at) => `${at}@silent${at % 20}.test`));
  worker.delivery.wake();
  assert.ok(await eventually(() => worker.sent.length > 30, PATIENCE_MS), `${worker.sent.length}`);
  await queue('b@live.test');
  worker.delivery.wake();
  assert.ok(await isDone('b@live.test'));
  blocked.resolve(TAKEN);
});

test('a row with two crashes and the other rows wait for each other for a few seconds only', async () => {
  const blocked = Promise.withResolvers<Outcome>();
  await queue('slow@slow.test');
  await using worker = await TestWorker.start({
    send: ({ rcptTo }) => (rcptTo.endsWith('@live.test') ? TAKEN : blocked.promise),
  });
  assert.ok(await eventually(() => worker.sent.length === 1, PATIENCE_MS));
  await queue('poison@slow.test');
  await setCrashes(db.database, 2, { address: 'poison@slow.test' });
  assert.ok(await eventually(() => worker.sent.length === 2, PATIENCE_MS));
  // At this point, a death of the process would count a crash only for the poison row.
  const inFlight = [
    await rowOf(db.database, 'slow@slow.test'),
    await rowOf(db.database, 'poison@slow.test'),
  ].map((row) => row.inFlight);
  assert.deepEqual(inFlight, [false, true]);
  await queue('quick@live.test');
  worker.delivery.wake();
  assert.ok(await isDone('quick@live.test'));
  blocked.resolve(TAKEN);
});

test('a reply that arrives after the grace period of a stop is still recorded', async () => {
  const blocked = Promise.withResolvers<Outcome>();
  await queue('a@one.test');
  await using worker = await TestWorker.start({
    send: (message) => {
      message.mayCommit();
      return blocked.promise;
    },
  });
  assert.ok(await eventually(() => worker.sent.length === 1, PATIENCE_MS));
  assert.equal(await worker.delivery.stop(10), true);
  blocked.resolve(TAKEN);
  assert.ok(await isDone('a@one.test'));
});

test('rows that a stop failed to release become due again while other rows are still in flight', async () => {
  const blocked = Promise.withResolvers<Outcome>();
  const doubt = Promise.withResolvers<void>();
  await queue('a@one.test', 'b@one.test');
  await using worker = await TestWorker.start({
    capacityOfEach: 1,
    send: () => blocked.promise,
    onDoubt: doubt.resolve,
  });
  assert.ok(await eventually(() => worker.sent.length === 1, PATIENCE_MS));
  const waiting = worker.addresses[0] === 'a@one.test' ? 'b@one.test' : 'a@one.test';
  let stopping: Promise<boolean> | undefined;
  await db.database.transaction().execute(async (tx) => {
    await lockRow(tx, waiting);
    stopping = worker.delivery.stop(60_000);
    await doubt.promise;
  });
  const isFree = await eventually(
    async () => (await rowOf(db.database, waiting)).leaseId === null,
    PATIENCE_MS,
  );
  assert.deepEqual(
    [isFree, (await rowOf(db.database, worker.addresses[0] ?? '')).leaseId],
    [true, worker.lease.leaseId],
  );
  blocked.resolve(TAKEN);
  assert.equal(await stopping, false);
});

test('backlogs that use every slot do not delay other mail', async () => {
  const names = ['one.test', 'two.test', 'three.test'];
  for (const name of names) {
    await queue(...Array.from({ length: 800 }, (_, at) => `${at}@${name}`));
    await park(db.database, name);
  }
  await addBacklogs(db.database, names);
  const slowly = () => new Promise<Outcome>((resolve) => setTimeout(resolve, 500, TAKEN));
  await using worker = await TestWorker.start({ capacityOfEach: 200, send: slowly });
  assert.ok(await eventually(() => worker.sent.length > 100, PATIENCE_MS));
  await queue('quick@live.test');
  worker.delivery.wake();
  assert.ok(await isDone('quick@live.test'));
  assert.ok(worker.sent.length < 1_500, `${worker.sent.length} others went first`);
});

suite('an email is sent soon although another project has a backlog', () => {
  const LARGE = newUuid();
  /** How long the server takes for a message, in milliseconds. */
  const PAUSE_MS = 20;
  const slowly = () => new Promise<Outcome>((resolve) => setTimeout(resolve, PAUSE_MS, TAKEN));

  async function queueOf(projectId: string, addresses: readonly string[]): Promise<void> {
    const emails = addresses.map((address) => newEmail({ projectId, to: [address], recipients: [address] }));
    await insertEmails(db.database, emails);
  }

  /** The number of messages sent before this email, without the messages sent before the email was queued. */
  async function overtaking(worker: TestWorker, address: string): Promise<number> {
    assert.ok(await eventually(() => worker.sent.length >= 50, PATIENCE_MS), `${worker.sent.length}`);
    const before = worker.sent.length;
    await queueOf(newUuid(), [address]);
    worker.delivery.wake();
    assert.ok(await isDone(address), `${worker.sent.length}`);
    return worker.addresses.indexOf(address) - before;
  }

  test('the email is sent soon when all mail is sent to one server', async () => {
    await queueOf(
      LARGE,
      Array.from({ length: 2_000 }, (_, at) => `${at}@large.test`),
    );
    await using worker = await TestWorker.start({ oneWay: true, capacity: 10, send: slowly });
    const others = await overtaking(worker, 'one@small.test');
    assert.ok(others < 400, `${others} others went first`);
  });

  test('the email is sent soon to the destination of the backlog', async () => {
    await queueOf(
      LARGE,
      Array.from({ length: 2_000 }, (_, at) => `${at}@slow.test`),
    );
    await using worker = await TestWorker.start({ capacityOfEach: 5, send: slowly });
    const others = await overtaking(worker, 'one@slow.test');
    assert.ok(others < 400, `${others} others went first`);
  });

  test('the email is sent soon although the backlog has a thousand other destinations', async () => {
    await queueOf(
      LARGE,
      Array.from({ length: 4_000 }, (_, at) => `${at}@d${at % 1_000}.test`),
    );
    await using worker = await TestWorker.start({ capacityOfEach: 1, capacity: 20, send: slowly });
    const others = await overtaking(worker, 'one@small.test');
    assert.ok(others < 400, `${others} others went first`);
  });

  test('a parked email is sent soon even while due mail from the project with the backlog fills the queue', async () => {
    const [parked, due] = ['slow.test', 'slow.test'].map((name, part) =>
      Array.from({ length: 1_000 }, (_, at) => `${part}-${at}@${name}`),
    ) as [string[], string[]];
    await queueOf(LARGE, parked);
    await queueOf(newUuid(), ['one@slow.test']);
    await park(db.database, 'slow.test');
    await queueOf(LARGE, due);
    await addBacklogs(db.database, ['slow.test']);
    // Simulates that another worker has just polled the backlog. This worker finds the backlog only after its first claim, when due mail
    // fills the queue.
    assert.equal((await claimDueDestinations(db.database, { backlogs: 1, failing: 0 })).length, 1);
    await using worker = await TestWorker.start({ capacityOfEach: 5, send: slowly });
    assert.ok(await isDone('one@slow.test'), `${worker.sent.length}`);
    const others = worker.addresses.indexOf('one@slow.test');
    assert.ok(others < 100, `${others} others went first`);
  });

  test('the email is sent soon when more projects have parked mail than a refill has rows', async () => {
    const projects = Array.from({ length: 40 }, newUuid).toSorted();
    const last = projects.pop() as string;
    for (const [at, project] of projects.entries())
      await queueOf(
        project,
        Array.from({ length: 50 }, (_, n) => `${at}-${n}@slow.test`),
      );
    await queueOf(last, ['one@slow.test']);
    await park(db.database, 'slow.test');
    await addBacklogs(db.database, ['slow.test']);
    await using worker = await TestWorker.start({ capacityOfEach: 2, send: slowly });
    assert.ok(await isDone('one@slow.test'), `${worker.sent.length}`);
    const others = worker.addresses.indexOf('one@slow.test');
    assert.ok(others < 100, `${others} others went first`);
  });
});
