/** Records finished attempts at messages of routes, like `webhooks/deliver/settle-deliveries.ts`. Nothing disables a route. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { HAS_KEY, WEBHOOKS } from '../../webhooks/deliver/claim-deliveries.ts';
import type { Settled } from '../../webhooks/deliver/delivery-queue.ts';
import { FINISHED } from '../../webhooks/deliver/settle-deliveries.ts';
import { ADDING_ATTEMPT } from '../../webhooks/past-attempts.ts';
import { type ClaimedMessage, EXPIRES } from './claim-messages.ts';

/** Attempts that this worker no longer claims are not changed. The routes are locked first, in the order of their keys. */
export async function settleMessages(
  database: Database,
  batch: readonly Settled<ClaimedMessage>[],
): Promise<void> {
  const routes = [...new Map(batch.map((attempt) => [attempt.webhookId, attempt])).values()];
  await sql`
    with locked as materialized (
      select r.project_id, r.id from ${WEBHOOKS.from(routes)}
      join routes r on r.project_id = k.project_id and r.id = k.webhook_id
      order by r.project_id, r.id
      for no key update of r
    ), finished as materialized (
      select f.* from locked join ${FINISHED.from(batch)} on f.project_id = locked.project_id and f.webhook_id = locked.id
    ), mine as (
      update route_messages d
      set status = k.status, lease_id = null, http_status = k.http_status, error = k.error, duration_ms = k.duration_ms,
          response_body = k.response_body, response_truncated = k.response_truncated, past_attempts = ${ADDING_ATTEMPT},
          delivered_at = case when k.status = 'delivered' then now() end,
          next_attempt_at = now() + coalesce(k.delay_ms, 0) * interval '1 millisecond', ${EXPIRES}
      from finished k
      where ${HAS_KEY} and d.attempts = k.attempt and d.status = 'pending'
      returning k.project_id, k.webhook_id, k.status, k.was_requested
    ), answers as (
      select project_id, webhook_id, bool_or(status = 'delivered') as any_good, bool_or(status <> 'delivered') as any_bad
      from mine where was_requested group by project_id, webhook_id
    )
    update routes r
    set last_success_at = case when a.any_good then now() else r.last_success_at end,
        last_failure_at = case when a.any_bad then now() else r.last_failure_at end,
        failing_since = case when not a.any_good then coalesce(r.failing_since, now()) end
    from answers a
    where r.project_id = a.project_id and r.id = a.webhook_id`.execute(database);
}
