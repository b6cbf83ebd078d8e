/** Measures how deferred mail affects the speed of due mail and the memory of an idle worker. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeferredQueue, fillDeferred } from '../support/deferred-queue.ts';
import { type Context, Runs, rounds } from '../support/part.ts';
import { startProduct } from '../support/product.ts';
import { percentile } from '../support/stats.ts';
import type { Goal, Row } from '../support/table.ts';
import { memoryMb } from '../support/usage.ts';

const CLAIM_GOAL: Goal = { on: 'ratio', sense: 'at most', limit: 1.5 };
const MEMORY_GOAL: Goal = { on: 'ratio', sense: 'at most', limit: 1.1 };

interface Measure {
  name: string;
  /** Runs the measure once. Resolves with the duration in milliseconds. */
  once: (queue: DeferredQueue) => Promise<number>;
  repetitions: number;
  quantiles: readonly (readonly [name: string, q: number])[];
}

const MEASURES: readonly Measure[] = [
  {
    name: 'claim of 400 due rows',
    once: (queue) => queue.claimDue(),
    repetitions: 200,
    quantiles: [
      ['p50', 0.5],
      ['p99', 0.99],
    ],
  },
  {
    name: 'claim of 100 parked rows',
    once: (queue) => queue.claimParked(),
    repetitions: 200,
    quantiles: [
      ['p50', 0.5],
      ['p99', 0.99],
    ],
  },
  {
    name: 'claim of one row for each of 100 failing destinations',
    once: (queue) => queue.probe(),
    repetitions: 20,
    quantiles: [['p50', 0.5]],
  },
];

interface Size {
  recipients: number;
  label: string;
  dataDir: string;
}

export async function deferred(context: Context): Promise<Row[]> {
  const { quick, folder } = context;
  const sizes = (quick ? [2_000, 10_000] : [10_000, 1_000_000]).map((recipients): Size => {
    const label = recipients.toLocaleString('en-GB');
    return { recipients, label, dataDir: join(folder, `product-${recipients}`) };
  });
  const [small, large] = sizes;
  if (small === undefined || large === undefined) throw new Error('There is nothing to compare');

  const runs = new Runs();
  await measureClaims(context, sizes, runs);
  await measureMemory(context, sizes, runs);

  const row = (measure: string, unit: string, key: string, goal: Goal): Row => ({
    measure: `${measure}, beside ${large.label} deferred`,
    unit,
    runs: runs.of(`${key} ${large.label}`),
    baseline: { name: `beside ${small.label}:`, runs: runs.of(`${key} ${small.label}`) },
    goal,
  });
  return [
    ...MEASURES.flatMap(({ name, quantiles }) =>
      quantiles.map(([quantile]) => row(`${name}: ${quantile}`, 'ms', `${name} ${quantile}`, CLAIM_GOAL)),
    ),
    row('memory of an idle worker', 'MB', 'memory', MEMORY_GOAL),
  ];
}

async function measureClaims(context: Context, sizes: readonly Size[], runs: Runs): Promise<void> {
  const { quick, log } = context;
  await using stack = new AsyncDisposableStack();
  const queues: { label: string; queue: DeferredQueue }[] = [];
  // Each queue size has its own server, so that the runs can alternate between the sizes and the small queue has small indexes. No workers
  // run, so nothing else claims rows.
  for (const { recipients, label, dataDir } of sizes) {
    const product = await startProduct(dataDir, { POSTHORN_ROLES: 'http' });
    stack.defer(() => product.stop());
    log(`${label} recipients: filling`);
    await fillDeferred(product, recipients);
    queues.push({ label, queue: stack.use(await DeferredQueue.open(product)) });
  }
  for (const round of rounds(context)) {
    for (const { name, once, repetitions, quantiles } of MEASURES) {
      for (const { label, queue } of queues) {
        // The first run is not measured, because it prepares the statements.
        await once(queue);
        const times = new Float64Array(quick ? 5 : repetitions);
        for (let at = 0; at < times.length; at++) times[at] = await once(queue);
        times.sort();
        const found = quantiles.map(([quantile, q]) => ({ quantile, ms: percentile(times, q) }));
        for (const { quantile, ms } of found) runs.add(`${name} ${quantile} ${label}`, ms);
        const shown = found.map(({ quantile, ms }) => `${quantile} ${ms.toFixed(2)} ms`).join(', ');
        log(`round ${round}, ${name}, beside ${label}: ${shown}`);
      }
    }
  }
}

/** Measures one server after the other, because the memory shared by processes depends on the number of running processes. */
async function measureMemory(context: Context, sizes: readonly Size[], runs: Runs): Promise<void> {
  for (const round of rounds(context)) {
    for (const { label, dataDir } of sizes) {
      const settings = { POSTHORN_PROVIDER: 'direct', POSTHORN_ROLES: 'http,worker' };
      const product = await startProduct(dataDir, settings);
      await sleep(context.quick ? 500 : 10_000);
      const used = Object.entries(memoryMb(product.processes())).find(([roles]) => roles.includes('worker'));
      if (used === undefined) throw new Error('There is no worker process');
      await product.stop();
      runs.add(`memory ${label}`, used[1]);
      context.log(`round ${round}, ${label} recipients: a worker has ${used[1].toFixed(1)} MB`);
    }
  }
}
