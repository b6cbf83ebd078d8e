import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { type WebhookKey, WEBHOOKS } from './claim-deliveries.ts';

const MAX_ROWS = 5_000;

/**
 * Fails the pending deliveries of disabled webhooks (docs/contract.md, Deliveries 5), and removes those of webhooks that are
 * gone. Disabling and removing do that too; this is for deliveries that an event wrote at the same moment, and for
 * webhooks that were disabled because they only failed.
 */
export async function failUndeliverable(database: Database, webhooks: readonly WebhookKey[]): Promise<void> {
  await sql`
    with stranded as (
      select d.project_id, d.webhook_id, d.id, w.id is not null as remains
      from ${WEBHOOKS.from(webhooks)}
      join deliveries d on d.project_id = k.project_id and d.webhook_id = k.webhook_id
      left join webhooks w on w.project_id = k.project_id and w.id = k.webhook_id
      where d.status = 'pending' and w.enabled is not true
      limit ${MAX_ROWS}::int
      for no key update of d skip locked
    ), gone as (
      delete from deliveries d using stranded s
      where d.project_id = s.project_id and d.webhook_id = s.webhook_id and d.id = s.id and not s.remains
    )
    update deliveries d
    set status = 'failed', next_attempt_at = null, error = coalesce(d.error, 'the webhook is disabled')
    from stranded s
    where d.project_id = s.project_id and d.webhook_id = s.webhook_id and d.id = s.id and s.remains`.execute(
    database,
  );
}
