/** Ends the deliveries of a webhook that is disabled, however many there are. */
import { sql } from 'kysely';
import type { DatabaseTransaction } from '../db/database.ts';

/** A statement has a time limit, and a receiver that was away for a day may leave millions of rows. */
const ROWS_A_STATEMENT = 10_000;

interface Failed {
  last: Date | null;
  count: number;
}

/**
 * Marks what a webhook still has to deliver as failed (docs/contract.md, Deliveries 5). An attempt in flight finds its row
 * no longer pending.
 */
export async function failPending(
  tx: DatabaseTransaction,
  projectId: string,
  webhookId: string,
): Promise<void> {
  for (let after: Date | null = new Date(0); after !== null; ) {
    // In the order of the index, from where the last statement ended: changed rows are not read again.
    const { rows }: { rows: Failed[] } = await sql<Failed>`
      with due as materialized (
        select id, next_attempt_at from deliveries
        where project_id = ${projectId} and webhook_id = ${webhookId} and status = 'pending' and next_attempt_at >= ${after}
        order by next_attempt_at limit ${ROWS_A_STATEMENT} for update
      ), failed as (
        update deliveries d set status = 'failed', next_attempt_at = null, error = 'the webhook was disabled'
        -- Not joined: without statistics the planner would compare every row of the webhook with every row of "due".
        where d.project_id = ${projectId} and d.webhook_id = ${webhookId} and d.id = any (array(select id from due))
      )
      select max(next_attempt_at) as last, count(*)::int as count from due`.execute(tx);
    after = rows[0]?.count === ROWS_A_STATEMENT ? rows[0].last : null;
  }
}
