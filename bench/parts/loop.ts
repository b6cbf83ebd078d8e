/** Measures how one project's large and hostile requests affect small requests of another project, and the memory. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HEAVY_REQUESTS, type HeavyRequest } from '../support/heavy-requests.ts';
import { type LoadReport, runLoad, sendEmail } from '../support/load.ts';
import { type Context, Runs, rounds } from '../support/part.ts';
import { type Product, startProduct } from '../support/product.ts';
import type { Goal, Row } from '../support/table.ts';
import { formatUsage, memoryMb, total } from '../support/usage.ts';

const DELAY: Goal = { on: 'value', sense: 'at most', limit: 50 };
const MEMORY: Goal = { on: 'value', sense: 'at most', limit: 100 };
const SMALL_BYTES = 2048;
const SMALL_PER_SECOND = 100;
/** Far below a key's rate limit, but a gigabit per second if the bodies have the maximum size. */
const HEAVY_PER_SECOND = 20;
/** How long before the measurement the heavy requests begin, and how long after the measurement they end. */
const LEAD_MS = 500;

export async function loop(context: Context): Promise<Row[]> {
  const { quick, folder, log } = context;
  const measureMs = quick ? 500 : 2_000;
  const product = await startProduct(join(folder, 'product'), {});
  await product.run('project', 'create', '--name', 'heavy');
  const heavyToken = await product.createKey('heavy');
  const small = sendEmail(product.port, SMALL_BYTES, await product.createKey());
  const measure = () =>
    runLoad(small, {
      connections: 16,
      ratePerSecond: SMALL_PER_SECOND,
      warmupMs: LEAD_MS,
      durationMs: measureMs,
      maxRequests: 1_000_000,
    });

  const [largest] = HEAVY_REQUESTS;
  const requests = [...HEAVY_REQUESTS, await fetching(product.port, heavyToken, largest?.body() ?? '')];
  await measure();
  const idle = memoryOf(product);
  log(`idle: ${formatUsage(idle)}`);
  const runs = new Runs();
  for (const round of rounds(context, 1)) {
    const alone = await measure();
    log(`round ${round}, alone: ${show(alone)}`);
    for (const request of requests) {
      const bodyPath = join(folder, 'body');
      writeFileSync(bodyPath, request.body());
      const heavy = runLoad(
        { port: product.port, ...request, ...authorized(heavyToken), body: null, expectStatus: null },
        {
          connections: request.connections,
          ratePerSecond: HEAVY_PER_SECOND,
          dropsLate: true,
          bodyPath,
          durationMs: measureMs + 2 * LEAD_MS,
          maxRequests: 1_000_000,
        },
      );
      const [beside, { perSecond }] = await Promise.all([measure(), heavy]);
      runs.add(request.name, beside.p99Ms - alone.p99Ms);
      log(`round ${round}, ${request.name}, ${perSecond.toFixed(1)}/s: with them ${show(beside)}`);
    }
  }
  log(`just after: ${formatUsage(memoryOf(product))}`);
  await sleep(quick ? 0 : 60_000);
  const later = memoryOf(product);
  log(`a minute later: ${formatUsage(later)}`);

  return [
    ...requests.map(
      ({ name, connections }): Row => ({
        measure: `p99 of small emails beside ${name} (${connections} at a time), increase over alone`,
        unit: 'ms',
        runs: runs.of(name),
        goal: DELAY,
      }),
    ),
    {
      measure: 'memory a minute later, increase over idle',
      note: formatUsage(later),
      unit: 'MB',
      runs: [total(later) - total(idle)],
      goal: MEMORY,
    },
  ];
}

/** Sends an email. @returns a request that fetches the email */
async function fetching(port: number, token: string, body: string): Promise<HeavyRequest> {
  const { headers } = authorized(token);
  const answer = await fetch(`http://127.0.0.1:${port}/v1/emails`, { method: 'POST', headers, body });
  const { id } = (await answer.json()) as { id: string };
  return {
    name: 'fetching an email of 4 MB',
    method: 'GET',
    path: `/v1/emails/${id}`,
    connections: 16,
    body: () => '',
  };
}

/** The memory of the processes without PostgreSQL, whose memory varies with the load on the tables. */
function memoryOf(product: Product) {
  const { postgres: _, ...own } = memoryMb(product.processes());
  return own;
}

function authorized(token: string) {
  return { headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` } };
}

function show({ p50Ms, p99Ms, maxMs }: LoadReport): string {
  return `p50 / p99 / max ${[p50Ms, p99Ms, maxMs].map((ms) => ms.toFixed(1)).join(' / ')} ms`;
}
