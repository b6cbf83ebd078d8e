/** Measures the time from `npm start` until GET /readyz returns 200. */
import { join } from 'node:path';
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
  ];
}
