import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { openDatabase } from './database.ts';
import { GroupCommit } from './group-commit.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
  await sql`create table written (item int primary key check (item <> 13))`.execute(db.database);
});
after(() => db[Symbol.asyncDispose]());

function writer(flights = 1) {
  const batches: number[][] = [];
  const commit = new GroupCommit<number, number>({
    flights,
    maxItems: 50,
    flush: async (items) => {
      batches.push(items);
      await sql`insert into written select unnest(${items}::int[])`.execute(db.database);
      return items.map((item) => item * 2);
    },
  });
  return { commit, batches };
}

test('writes of one tick share a commit, and each write gets its own result', async () => {
  const { commit, batches } = writer();
  assert.deepEqual(await Promise.all([1, 2, 3].map((n) => commit.add(n))), [2, 4, 6]);
  assert.deepEqual(batches, [[1, 2, 3]]);
});

test('writes that arrive while a batch is being written share the next batch', async () => {
  const { commit, batches } = writer();
  const first = commit.add(100);
  await new Promise(setImmediate);
  await Promise.all([first, commit.add(101), commit.add(102)]);
  assert.deepEqual(batches, [[100], [101, 102]]);
});

test('items that do not fit into one batch are written in several batches at once', async () => {
  let inFlight = 0;
  let most = 0;
  const commit = new GroupCommit<number, undefined>({
    flights: 3,
    maxItems: 1,
    flush: async (items) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      for (let tick = 0; tick < 10; tick++) await new Promise(setImmediate);
      inFlight -= 1;
      return items.map(() => undefined);
    },
  });
  await Promise.all([1, 2, 3, 4, 5, 6, 7].map((n) => commit.add(n)));
  assert.equal(most, 3);
});

test('pending and pendingBytes count the items that are neither committed nor rejected', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const commit = new GroupCommit<number, undefined>({
    flights: 1,
    maxItems: 2,
    sizeOf: (item) => item,
    flush: async (items) => {
      await promise;
      if (items.includes(7)) throw new Error('refused');
      return items.map(() => undefined);
    },
  });
  const all = Promise.allSettled([5, 6, 7].map((n) => commit.add(n)));
  await new Promise(setImmediate);
  assert.deepEqual([commit.pending, commit.pendingBytes], [3, 18]);
  resolve();
  await all;
  await new Promise(setImmediate);
  assert.deepEqual([commit.pending, commit.pendingBytes], [0, 0]);
});

test('an item that PostgreSQL rejects fails alone', async () => {
  const { commit } = writer();
  const results = await Promise.allSettled([200, 13, 201].map((n) => commit.add(n)));
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  const { rows } = await sql<{
    item: number;
  }>`select item from written where item >= 200 order by item`.execute(db.database);
  assert.deepEqual(rows, [{ item: 200 }, { item: 201 }]);
});

test('if the database fails while items are written one by one, the remaining items are rejected at once', async () => {
  let flushes = 0;
  const commit = new GroupCommit<number, undefined>({
    flights: 1,
    maxItems: 10,
    flush: async (items) => {
      flushes += 1;
      if (flushes === 3) throw new Error('Connection terminated unexpectedly');
      await sql`insert into written select unnest(${items}::int[])`.execute(db.database);
      return items.map(() => undefined);
    },
  });
  const results = await Promise.allSettled([300, 301, 302, 13, 303].map((n) => commit.add(n)));
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'rejected', 'rejected'],
  );
  assert.equal(flushes, 3);
});

test('a batch stays within maxItems and maxBytes', async () => {
  const batches: number[][] = [];
  const commit = new GroupCommit<number, undefined>({
    flights: 1,
    maxItems: 3,
    maxBytes: 10,
    sizeOf: (item) => item,
    flush: async (items) => {
      batches.push(items);
      return items.map(() => undefined);
    },
  });
  await Promise.all([1, 1, 1, 1, 6, 6, 100, 1].map((size) => commit.add(size)));
  assert.deepEqual(batches, [[1, 1, 1], [1, 6], [6], [100], [1]]);
});

test('an error that the data did not cause rejects the whole batch without trying each item', async () => {
  let flushes = 0;
  const commit = new GroupCommit<number, undefined>({
    flights: 1,
    maxItems: 10,
    flush: async () => {
      flushes += 1;
      throw new Error('Connection terminated unexpectedly');
    },
  });
  const results = await Promise.allSettled([commit.add(1), commit.add(2)]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(flushes, 1);
});

test('a batch that times out is rejected as a whole, because each item would take as long', async () => {
  const hurried = openDatabase(db.url, { statementTimeoutMs: 20 });
  let flushes = 0;
  const commit = new GroupCommit<number, undefined>({
    flights: 1,
    maxItems: 10,
    flush: async (items) => {
      flushes += 1;
      await sql`select pg_sleep(60)`.execute(hurried);
      return items.map(() => undefined);
    },
  });
  const results = await Promise.allSettled([1, 2, 3].map((n) => commit.add(n)));
  assert.deepEqual(
    [flushes, ...results.map(({ status }) => status)],
    [1, 'rejected', 'rejected', 'rejected'],
  );
  await hurried.destroy();
});
