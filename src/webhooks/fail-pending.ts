/** Marks the pending deliveries of a webhook that is disabled as failed, however many there are. */
import { sql } from 'kysely';
import { columnsOf, type RowOf } from '../db/columns.ts';
import { cte } from '../db/cte.ts';
import type { DatabaseTransaction } from '../db/database.ts';
import { loggingFailed, WITHDRAWN } from './logging-failed.ts';

/**
 * The maximum number of rows per statement. A statement has a time limit, and a receiver that was down for a day may leave millions of
 * rows.
 */
const ROWS_A_STATEMENT = 10_000;

const FAILED = columnsOf({
  last: 'timestamptz?',
  count: 'int4',
});

type Failed = RowOf<typeof FAILED>;

/** Marks the pending deliveries of a webhook as failed (docs/contract.md, Deliveries 5), even if an attempt is in flight. */
export async function failPending(
  tx: DatabaseTransaction,
  projectId: string,
  webhookId: string,
): Promise<void> {
  // Without bitmap scans, the statements read the many rows in index order.
  await sql`set local enable_bitmapscan = off`.execute(tx);
  for (let after: Date | null = new Date(0); after !== null; ) {
    // Each statement begins in the index where the previous statement ended, so that deleted rows are not read again.
    const over = cte(
      'over_now',
      sql`delete from due_deliveries where project_id = ${projectId} and id = any (array(select id from due)) returning *`,
    );
    const { rows }: { rows: Failed[] } = await FAILED.sql`
      with due as materialized (
        select id, next_attempt_at from due_deliveries
        where project_id = ${projectId} and webhook_id = ${webhookId} and next_attempt_at >= ${after}
        order by next_attempt_at limit ${ROWS_A_STATEMENT} for update
      ), ${over.sql}, failed as (${loggingFailed(over, sql.lit(WITHDRAWN.before))})
      select max(next_attempt_at) as last, count(*)::int as count from due`.execute(tx);
    after = rows[0]?.count === ROWS_A_STATEMENT ? rows[0].last : null;
  }
}
