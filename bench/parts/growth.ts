/** Measures how the cost of an email and of a list grows with the number of stored emails. */
import { fillArchive, settleArchives } from '../support/archive.ts';
import { startEndToEnd } from '../support/end-to-end.ts';
import { runLoad } from '../support/load.ts';
import { type Context, Runs } from '../support/part.ts';
import type { Row } from '../support/table.ts';
import { cpuSeconds, formatUsage, microsEach, total } from '../support/usage.ts';

/** The numbers of stored emails. */
const SIZES = [10_000, 100_000, 1_000_000];
/** The cost at the largest size may be this multiple of the cost at the smallest size. */
const MOST = 1.25;

export async function growth({ quick, folder, log }: Context): Promise<Row[]> {
  const sizes = quick ? [1_000, 2_000] : SIZES;
  const count = quick ? 200 : 10_000;
  const { product, send } = await startEndToEnd(folder);
  const headers = { authorization: `Bearer ${await product.createKey()}` };
  const list = {
    port: product.port,
    method: 'GET',
    path: '/v1/emails?limit=50',
    headers,
    body: null,
  } as const;
  const runs = new Runs();
  await send(quick ? 50 : 2_000);
  let stored = 0;
  for (const size of sizes) {
    await fillArchive(product, size - stored);
    stored = size;
    await settleArchives(product);
    const before = cpuSeconds(product.processes());
    const { toSinkMs } = await send(count);
    const spent = microsEach(before, cpuSeconds(product.processes()), count);
    const { p99Ms } = await runLoad(
      { ...list, expectStatus: '200' },
      { connections: 1, maxRequests: quick ? 20 : 1_000, durationMs: 3_000 },
    );
    runs.add(`rate ${size}`, (count * 1_000) / toSinkMs);
    runs.add(`cpu ${size}`, total(spent));
    runs.add(`list ${size}`, p99Ms);
    log(
      `${size} stored: ${Math.round((count * 1_000) / toSinkMs)}/s, µs of CPU per message: ${formatUsage(spent)}, list p99 ${p99Ms.toFixed(1)} ms`,
    );
  }
  const [smallest = 0, largest = 0] = [sizes.at(0), sizes.at(-1)];
  const grown = (measure: string, key: string, unit: string, goal: Pick<Row, 'goal'> = {}): Row => ({
    measure: `${measure}, ${largest.toLocaleString('en-GB')} stored`,
    unit,
    runs: runs.of(`${key} ${largest}`),
    baseline: { name: `${smallest.toLocaleString('en-GB')} stored`, runs: runs.of(`${key} ${smallest}`) },
    ...goal,
  });
  return [
    grown('end to end 2 kB', 'rate', '/s'),
    grown('CPU per message, end to end', 'cpu', 'µs', {
      goal: { on: 'ratio', sense: 'at most', limit: MOST },
    }),
    grown('first page of a list: p99', 'list', 'ms'),
  ];
}
