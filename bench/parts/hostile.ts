/** Measures how a client that leaves request bodies unfinished, or guesses API keys, affects other clients. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LoadReport, runLoad, sendEmail } from '../support/load.ts';
import { type Context, Runs, rounds } from '../support/part.ts';
import { type Product, startProduct } from '../support/product.ts';
import type { Row } from '../support/table.ts';
import { formatUsage, memoryMb, total } from '../support/usage.ts';
import { runUploads } from '../support/uploads.ts';

const SMALL_BYTES = 2048;
const CONNECTIONS = 1_000;
/** The measurement begins after this time, when all bodies have arrived or have been rejected. */
const LEAD_MS = 4_000;
const WRONG_KEYS = 20_000;
const SAMPLE_MS = 250;

export async function hostile(context: Context): Promise<Row[]> {
  const { quick, folder, log } = context;
  const measureMs = quick ? 500 : 5_000;
  const leadMs = quick ? 500 : LEAD_MS;
  // No workers run, because other parts measure the work of workers.
  const product = await startProduct(join(folder, 'product'), { POSTHORN_ROLES: 'http' });
  const { port } = product;
  await product.run('project', 'create', '--name', 'hostile');
  const hostileToken = await product.createKey('hostile');
  const small = sendEmail(port, SMALL_BYTES, await product.createKey());
  const smallOfSame = sendEmail(port, SMALL_BYTES, hostileToken);
  const health = {
    port,
    method: 'GET',
    path: '/healthz',
    headers: {},
    body: null,
    expectStatus: '200',
  } as const;
  const measure = (target: Parameters<typeof runLoad>[0], ratePerSecond: number, durationMs = measureMs) =>
    runLoad(target, { connections: 16, ratePerSecond, warmupMs: leadMs, durationMs, maxRequests: 1_000_000 });

  const runs = new Runs();
  const record = (name: string, alone: LoadReport, beside: LoadReport) => {
    runs.add(`${name} alone`, alone.p99Ms);
    runs.add(name, beside.p99Ms);
    log(`${name}: alone ${show(alone)}, under attack ${show(beside)}`);
  };
  for (const round of rounds(context, 1)) {
    log(`round ${round}`);
    const [aloneSmall, aloneHealth] = await Promise.all([measure(small, 100), measure(health, 20)]);
    const idleMb = memoryOf(product);
    const uploads = runUploads({
      port,
      token: hostileToken,
      connections: CONNECTIONS,
      durationMs: measureMs + 2 * leadMs,
    });
    const endWatch = watchMost(product);
    const [besideSmall, besideHealth, same] = await Promise.all([
      measure(small, 100),
      measure(health, 20),
      measure({ ...smallOfSame, expectStatus: null }, 20),
      uploads.then((counts) => log(`bodies: ${formatUsage(counts)}`)),
    ]);
    const mostMb = await endWatch();
    runs.add('memory', mostMb - idleMb);
    log(`own processes: idle ${Math.round(idleMb)}, at most ${Math.round(mostMb)} MB`);
    log(`small emails of the same key: ${show(same)}`);
    record('small emails beside unfinished bodies', aloneSmall, besideSmall);
    record('/healthz beside unfinished bodies', aloneHealth, besideHealth);

    // Measure small emails alone again: the unfinished bodies have enlarged the heap, which takes a while to shrink.
    const aloneAgain = await measure(small, 100);
    const wrong = runLoad(
      {
        ...smallOfSame,
        headers: { ...smallOfSame.headers, authorization: `Bearer svc_live_${'#'.repeat(32)}` },
        expectStatus: '401',
      },
      { maxRequests: quick ? 1_000 : WRONG_KEYS, durationMs: 120_000 },
    ).then((report) => log(`wrong keys: ${report.requests}, ${Math.round(report.perSecond)}/s`));
    const [besideKeys] = await Promise.all([measure(small, 100), wrong]);
    record('small emails beside wrong keys', aloneAgain, besideKeys);
  }

  const later = (name: string): Row => {
    const alone = runs.of(`${name} alone`);
    return {
      measure: `${name}: p99, increase over alone`,
      unit: 'ms',
      runs: runs.of(name).map((ms, round) => ms - (alone[round] ?? 0)),
      goal: { on: 'value', sense: 'at most', limit: 50 },
    };
  };
  return [
    {
      measure: `memory for ${CONNECTIONS} unfinished bodies of 6 MiB with one key`,
      unit: 'MB',
      runs: runs.of('memory'),
      goal: { on: 'value', sense: 'at most', limit: 600 },
    },
    later('small emails beside unfinished bodies'),
    later('/healthz beside unfinished bodies'),
    {
      measure: 'small emails beside wrong keys: p99',
      unit: 'ms',
      runs: runs.of('small emails beside wrong keys'),
      baseline: { name: 'alone', runs: runs.of('small emails beside wrong keys alone') },
      goal: { on: 'ratio', sense: 'at most', limit: 2 },
    },
  ];
}

/** The memory of the product without PostgreSQL, in MB. */
function memoryOf(product: Product): number {
  const { postgres: _, ...own } = memoryMb(product.processes());
  return total(own);
}

/** Watches the memory. @returns a function that ends the watch and returns the peak memory in MB */
function watchMost(product: Product): () => Promise<number> {
  const controller = new AbortController();
  let most = 0;
  const watch = (async () => {
    while (!controller.signal.aborted) {
      most = Math.max(most, memoryOf(product));
      await sleep(SAMPLE_MS);
    }
  })();
  return async () => {
    controller.abort();
    await watch;
    return most;
  };
}

function show({ requests, p50Ms, p99Ms, maxMs }: LoadReport): string {
  return `${requests}, p50 / p99 / max ${[p50Ms, p99Ms, maxMs].map((ms) => ms.toFixed(1)).join(' / ')} ms`;
}
