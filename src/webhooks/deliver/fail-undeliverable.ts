import { sql } from 'kysely';
import { cte } from '../../db/cte.ts';
import type { Database } from '../../db/database.ts';
import { loggingFailed, WITHDRAWN } from '../logging-failed.ts';
import { HAS_KEY, type WebhookKey, WEBHOOKS } from './claim-deliveries.ts';

const MAX_ROWS = 5_000;

/**
 * Fails the remaining deliveries of disabled webhooks (docs/contract.md, Deliveries 5) and deletes the deliveries of deleted webhooks.
 * Disabling or deleting a webhook also does this. This function covers deliveries that were created while the webhook was being disabled or
 * deleted, and webhooks that were disabled because all attempts failed.
 */
export async function failUndeliverable(database: Database, webhooks: readonly WebhookKey[]): Promise<void> {
  const stranded = sql`
    stranded as (
      select d.project_id, d.id, w.id is not null as remains
      from ${WEBHOOKS.from(webhooks)}
      left join webhooks w on w.project_id = k.project_id and w.id = k.webhook_id
      cross join lateral (
        select d.project_id, d.id from due_deliveries d where d.project_id = k.project_id and d.webhook_id = k.webhook_id
        limit ${MAX_ROWS}::int
        for no key update skip locked
      ) d
      where w.enabled is not true
      limit ${MAX_ROWS}::int
    ), gone as (
      delete from due_deliveries d using stranded k where ${HAS_KEY} and not k.remains
    )`;
  const over = cte(
    'over_now',
    sql`delete from due_deliveries d using stranded k where ${HAS_KEY} and k.remains returning d.*`,
    stranded,
  );
  await sql`
    with ${over.sql} ${loggingFailed(over, sql`coalesce(d.error, ${sql.lit(WITHDRAWN.after)})`)}`.execute(
    database,
  );
}
