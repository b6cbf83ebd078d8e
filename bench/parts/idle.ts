/** The commits of a service that does nothing, because each commit of an idle installation costs its database and its disk something. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../support/part.ts';
import { startProduct } from '../support/product.ts';
import type { Goal, Row } from '../support/table.ts';

const GOAL: Goal = { on: 'value', sense: 'at most', limit: 3 };
/** After a start, background jobs search for work of the time before. */
const SETTLE_MS = 30_000;
/** One pass of the jobs that run every minute. */
const WINDOW_MS = 60_000;

export async function idle({ quick, folder, log }: Context): Promise<Row[]> {
  const product = await startProduct(folder, {});
  const count = async () => {
    const [row] = await product.query<{ commits: number; atMs: number }>(
      `select xact_commit::float8 as commits, extract(epoch from clock_timestamp())::float8 * 1000 as "atMs"
       from pg_stat_database where datname = current_database()`,
    );
    return row ?? { commits: 0, atMs: 0 };
  };
  await sleep(quick ? 500 : SETTLE_MS);
  const before = await count();
  await sleep(quick ? 2_000 : WINDOW_MS);
  const after = await count();
  const perSecond = ((after.commits - before.commits) * 1_000) / (after.atMs - before.atMs);
  const statements = await product.query<{ calls: number; query: string }>(
    `select calls::float8, left(query, 100) as query from pg_stat_statements order by calls desc limit 10`,
  );
  for (const { calls, query } of statements)
    log(`${calls} since the start: ${query.replaceAll(/\s+/g, ' ')}`);
  return [{ measure: 'commits while idle', unit: '/s', runs: [perSecond], goal: GOAL }];
}
