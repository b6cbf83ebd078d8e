import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { sql } from 'kysely';
import { testDatabase } from '../../test/support/postgres.ts';
import { AttemptDeferred, ConnectionBudget } from './connection-budget.ts';
import { isDatabaseAway, openDatabase } from './database.ts';

const SLOW = { perSecond: 1, burst: 3, maxWaitMs: 0 };

test('attempts beyond the burst are deferred while attempts fail, and the last failure is the cause', async () => {
  const budget = new ConnectionBudget(SLOW);
  const fault = new Error('connect ECONNREFUSED');
  for (let attempt = 0; attempt < 3; attempt++) {
    await budget.take();
    budget.failed(fault);
  }
  await assert.rejects(
    budget.take(),
    (error) => error instanceof AttemptDeferred && error.cause === fault && isDatabaseAway(error),
  );
});

test('a successful connection refills the whole budget', async () => {
  const budget = new ConnectionBudget(SLOW);
  for (let attempt = 0; attempt < 100; attempt++) {
    await budget.take();
    budget.succeeded();
  }
});

test('waiting attempts begin as soon as a connection opens', async () => {
  const budget = new ConnectionBudget({ perSecond: 1, burst: 1, maxWaitMs: 600_000 });
  const waiting = Array.from({ length: 5 }, () => budget.take());
  budget.succeeded();
  await Promise.all(waiting);
});

test('the threads of a process share one budget', async () => {
  const shared = new SharedArrayBuffer(8);
  const budget = new ConnectionBudget({ ...SLOW, shared });
  const code = `
    const { workerData } = require('node:worker_threads');
    import(workerData.module).then(async ({ ConnectionBudget }) => {
      const budget = new ConnectionBudget(workerData.options);
      for (let attempt = 0; attempt < 3; attempt++) await budget.take();
    });`;
  const module = new URL('connection-budget.ts', import.meta.url).href;
  const thread = new Worker(code, { eval: true, workerData: { module, options: { ...SLOW, shared } } });
  assert.equal(await new Promise((resolve) => thread.once('exit', resolve)), 0);
  await assert.rejects(budget.take(), AttemptDeferred);
});

test('all pools of a process together open few connections to a proxy that closes connections at once', async () => {
  await using db = await testDatabase();
  let connections = 0;
  const proxy = createServer((client) => {
    connections += 1;
    client.destroy();
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as { port: number };
  const pools = Array.from({ length: 5 }, () => openDatabase(`postgres://posthorn@127.0.0.1:${port}/none`));
  const startedAt = performance.now();
  for (let round = 0; round < 40; round++) {
    const results = await Promise.allSettled(pools.map((pool) => sql`select 1`.execute(pool)));
    for (const result of results) assert.ok(result.status === 'rejected' && isDatabaseAway(result.reason));
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  assert.ok(connections <= 21 + 10 * (seconds + 1), `${connections} connections in ${seconds} s`);
  // Once the server is reachable, the first permitted attempt succeeds, and later attempts do not wait.
  const back = openDatabase(db.url);
  for (let isBack = false; !isBack; )
    isBack = await sql`select 1`.execute(back).then(
      () => true,
      () => false,
    );
  assert.ok(performance.now() - startedAt < (seconds + 5) * 1_000);
  for (const pool of [...pools, back]) await pool.destroy();
  await new Promise((resolve) => proxy.close(resolve));
});
