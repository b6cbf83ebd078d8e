import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../test/support/eventually.ts';
import { testDatabase } from '../../test/support/postgres.ts';
import { type Database, isDatabaseAway, openLane } from './database.ts';
import { LanePool, type PoolLaneOptions, type PoolOptions } from './lane-pool.ts';
import { TIMINGS } from './timings.ts';

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const db = stack.use(await testDatabase());

/** A pool whose lanes are closed at the end of the test. */
class Lanes implements AsyncDisposable {
  readonly pool: LanePool;
  readonly #opened: Database[] = [];

  constructor(options: PoolOptions = {}) {
    this.pool = new LanePool(db.url, options);
  }

  open(own: number, max: number, options: Partial<PoolLaneOptions> = {}): Database {
    const lane = openLane(this.pool, { own, max, ...options });
    this.#opened.push(lane);
    return lane;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#opened.map((lane) => lane.destroy()));
  }
}

async function sessionOf(lane: Database): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(lane);
  return rows[0]?.pid ?? 0;
}

/** Occupies `count` connections of a lane. @returns a function that releases the connections */
async function hold(lane: Database, count: number): Promise<() => Promise<void>> {
  const done = Promise.withResolvers<void>();
  const taken = Array.from({ length: count }, () => Promise.withResolvers<void>());
  const holding = taken.map(({ resolve }) =>
    lane.connection().execute((session) => {
      resolve();
      return done.promise.then(() => sql`select 1`.execute(session));
    }),
  );
  await Promise.all(taken.map(({ promise }) => promise));
  return async () => {
    done.resolve();
    await Promise.all(holding);
  };
}

test('a lane that uses its maximum leaves other lanes the connections reserved for them', async () => {
  await using lanes = new Lanes();
  const greedy = lanes.open(1, 4);
  const modest = lanes.open(2, 3);
  assert.equal(lanes.pool.max, 6);
  const release = await hold(greedy, 4);
  const releaseToo = await hold(modest, 2);
  await release();
  await releaseToo();
});

test('a pool never has more sessions than its maximum', async () => {
  await using lanes = new Lanes();
  const all = [lanes.open(2, 4), lanes.open(1, 3, { readsOnly: true }), lanes.open(0, 2)];
  assert.equal(lanes.pool.max, 5);
  const work = all.flatMap((lane) => Array.from({ length: 40 }, () => sessionOf(lane)));
  const sessions = new Set(await Promise.all(work));
  assert.ok(sessions.size <= 5, `${sessions.size} sessions`);
  assert.ok(sessions.size > 2);
});

test('lanes with the same settings share idle connections', async () => {
  await using lanes = new Lanes();
  const one = lanes.open(1, 2);
  const other = lanes.open(1, 2);
  assert.equal(await sessionOf(one), await sessionOf(other));
});

test('a lane with other settings opens a connection, or changes the settings of an idle one if the pool is full', async () => {
  await using lanes = new Lanes();
  const writes = lanes.open(1, 2);
  const reads = lanes.open(0, 1, { readsOnly: true, statementTimeoutMs: 1_234 });
  const settingsOf = async (lane: Database) =>
    (
      await sql<{ pid: number; limit: string; scans: string; pruning: string }>`
        select pg_backend_pid() as pid, current_setting('statement_timeout') as limit,
          current_setting('enable_seqscan') as scans, current_setting('enable_partition_pruning') as pruning`.execute(
        lane,
      )
    ).rows[0];
  const first = await settingsOf(writes);
  const apart = await settingsOf(reads);
  assert.notEqual(apart?.pid, first?.pid);
  assert.deepEqual([first?.limit, first?.scans], ['30s', 'off']);
  assert.deepEqual([apart?.limit, apart?.scans, apart?.pruning], ['1234ms', 'on', 'on']);
  // Both connections are open: the second connection that the writing lane gets was used for reads before.
  const release = await hold(writes, 1);
  assert.deepEqual(await settingsOf(writes), { ...first, pid: apart?.pid });
  await release();
});

test('a statement is prepared again for other session settings', async () => {
  await using lanes = new Lanes();
  const writes = lanes.open(0, 1);
  const reads = lanes.open(0, 1, { readsOnly: true });
  const prepared = async (lane: Database) =>
    (
      await sql<{
        text: string;
      }>`select statement as text from pg_prepared_statements where statement like '%same text%'`.execute(
        lane,
      )
    ).rows.length;
  for (const lane of [writes, reads, writes]) await sql`select ${1}::int as "same text"`.execute(lane);
  // The count is 3 because each lane has also prepared the counting statement, which contains the words `same text`.
  assert.equal(await prepared(reads), 3);
  assert.equal(await sessionOf(reads), await sessionOf(writes));
});

test('a caller that waits too long for a connection gets an error and occupies no slot', async () => {
  await using lanes = new Lanes({ timings: { ...TIMINGS, connectTimeoutMs: 100 } });
  const lane = lanes.open(1, 1);
  const release = await hold(lane, 1);
  await assert.rejects(sessionOf(lane), isDatabaseAway);
  await release();
  assert.ok((await sessionOf(lane)) > 0);
});

test('a connection that cannot be opened occupies no slot', async () => {
  const lane = openLane(new LanePool('postgres://nobody@127.0.0.1:1/none'), { own: 1, max: 1 });
  await assert.rejects(sessionOf(lane), isDatabaseAway);
  await assert.rejects(sessionOf(lane), isDatabaseAway);
  await lane.destroy();
});

test('an idle connection that its server ends is reported and replaced', async () => {
  let lost = 0;
  await using lanes = new Lanes({ onLost: () => lost++ });
  const lane = lanes.open(1, 1);
  const before = await sessionOf(lane);
  await sql`select pg_terminate_backend(${before})`.execute(db.database);
  assert.ok(await eventually(() => lost === 1, 5_000));
  assert.notEqual(await sessionOf(lane), before);
});

test('idle connections are closed after the idle time, and used connections are not', async () => {
  await using lanes = new Lanes({ timings: { ...TIMINGS, idleConnectionMs: 50 } });
  const lane = lanes.open(2, 2);
  const release = await hold(lane, 1);
  const idle = await sessionOf(lane);
  const isOpen = async () =>
    (await sql`select from pg_stat_activity where pid = ${idle}`.execute(db.database)).rows.length > 0;
  assert.ok(await eventually(async () => !(await isOpen()), 5_000));
  await release();
});

test('a closing lane waits for its work, rejects waiting callers, and leaves other lanes open', async () => {
  await using lanes = new Lanes();
  const ending = openLane(lanes.pool, { own: 1, max: 1 });
  const other = lanes.open(1, 1);
  const release = await hold(ending, 1);
  const waiting = sessionOf(ending);
  let hasEnded = false;
  const end = ending.destroy().then(() => (hasEnded = true));
  await assert.rejects(waiting, /closed/);
  await sessionOf(other);
  assert.equal(hasEnded, false);
  await release();
  await end;
  await assert.rejects(sessionOf(ending));
  await sessionOf(other);
});
