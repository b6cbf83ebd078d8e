/** Measures the time from `npm start` until GET /readyz returns 200, and from `posthorn dev` until it is ready. */
import { join } from 'node:path';
import { startDev } from '../../test/support/dev-service.ts';
import { type Context, Runs, rounds } from '../support/part.ts';
import { startProduct } from '../support/product.ts';
import type { Row } from '../support/table.ts';

export async function start(context: Context): Promise<Row[]> {
  const runs = new Runs();
  for (const round of rounds(context)) {
    for (const kind of ['first', 'later']) {
      const product = await startProduct(join(context.folder, `product-${round}`), {});
      runs.add(kind, product.readyAfterMs / 1000);
      context.log(`round ${round}, ${kind} start: ${Math.round(product.readyAfterMs)} ms`);
      await product.stop();
    }
    for (const kind of ['first dev', 'later dev']) {
      const startedMs = performance.now();
      const dev = await startDev({ dataDir: join(context.folder, `dev-${round}`) });
      const readyAfterMs = performance.now() - startedMs;
      runs.add(kind, readyAfterMs / 1000);
      context.log(`round ${round}, ${kind} start: ${Math.round(readyAfterMs)} ms`);
      await dev.stop();
    }
  }
  return [
    {
      measure: 'start on an empty data folder',
      unit: 's',
      runs: runs.of('first'),
      goal: { on: 'value', sense: 'at most', limit: 3 },
    },
    {
      measure: 'later start',
      unit: 's',
      runs: runs.of('later'),
      goal: { on: 'value', sense: 'at most', limit: 1 },
    },
    {
      measure: 'later start of posthorn dev',
      unit: 's',
      runs: runs.of('later dev'),
      goal: { on: 'value', sense: 'at most', limit: 1.5 },
    },
  ];
}
