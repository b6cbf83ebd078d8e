/** Records finished attempts: writes the log, schedules retries, and updates the counts and the health of webhooks. */
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import { ADDING_ATTEMPT } from '../past-attempts.ts';
import {
  ATTEMPT_COLUMNS,
  type AttemptKey,
  type ClaimedDelivery,
  HAS_KEY,
  WEBHOOK_KEY,
  type WebhookKey,
  WEBHOOKS,
} from './claim-deliveries.ts';
import type { AttemptEnd, Settled } from './delivery-queue.ts';

/** The number of days after which a webhook is disabled if all its attempts failed (docs/contract.md, Webhook). */
export const DISABLE_AFTER_DAYS = 5;

export type SettledDelivery = Settled<ClaimedDelivery>;

/** Ends of attempts, as a relation with the alias `f`. */
export const FINISHED = rowsOf<AttemptKey & AttemptEnd>('f', {
  ...ATTEMPT_COLUMNS,
  status: ['text', (attempt) => attempt.status],
  delay_ms: ['int4', (attempt) => attempt.delayMs],
  was_requested: ['bool', (attempt) => attempt.wasRequested],
  http_status: ['int2', (attempt) => attempt.httpStatus],
  error: ['text', (attempt) => attempt.error],
  duration_ms: ['int4', (attempt) => attempt.durationMs],
  response_body: ['text', (attempt) => attempt.responseBody],
  response_truncated: ['bool', (attempt) => attempt.responseTruncated],
});

/**
 * Records a batch in one statement. Attempts that this worker no longer claims are not changed. To prevent deadlocks, the webhooks are
 * locked first, in the order of their keys: disabling a webhook also locks the webhook before its deliveries.
 * @returns the webhooks that this batch disabled
 */
export async function settleDeliveries(
  database: Database,
  batch: readonly SettledDelivery[],
): Promise<WebhookKey[]> {
  const webhooks = [...new Map(batch.map((attempt) => [attempt.webhookId, attempt])).values()];
  const { rows } = await columnsOf({ ...WEBHOOK_KEY.kinds, wasDisabled: 'bool' }).sql`
    with locked as materialized (
      select w.project_id, w.id, w.enabled and w.failing_since <= now() - ${DISABLE_AFTER_DAYS}::int * interval '1 day' as has_failed_too_long
      from ${WEBHOOKS.from(webhooks)}
      join webhooks w on w.project_id = k.project_id and w.id = k.webhook_id
      order by w.project_id, w.id
      for no key update of w
    ), finished as materialized (
      select f.*, locked.has_failed_too_long
      from locked join ${FINISHED.from(batch)} on f.project_id = locked.project_id and f.webhook_id = locked.id
    ), over_now as (
      delete from due_deliveries d using finished k
      where ${HAS_KEY} and d.attempts = k.attempt and k.status <> 'pending'
      returning k.*, d.event_id, d.email_id, d.type, d.max_attempts, d.last_attempt_at,
        case when d.past_attempts is not null then ${ADDING_ATTEMPT} end as past_attempts
    ), logged as (
      insert into deliveries (project_id, webhook_id, id, event_id, email_id, type, status, attempts, max_attempts, last_attempt_at,
        delivered_at, http_status, error, duration_ms, response_body, response_truncated, past_attempts)
      select project_id, webhook_id, id, event_id, email_id, type, status, attempt, max_attempts, last_attempt_at,
             case when status = 'delivered' then now() end, http_status, error, duration_ms, response_body, response_truncated,
             past_attempts
      from over_now
    ), retried as (
      update due_deliveries d
      set next_attempt_at = now() + k.delay_ms * interval '1 millisecond', lease_id = null, http_status = k.http_status, error = k.error,
          duration_ms = k.duration_ms, response_body = k.response_body, response_truncated = k.response_truncated,
          past_attempts = ${ADDING_ATTEMPT}
      from finished k
      where ${HAS_KEY} and d.attempts = k.attempt and k.status = 'pending'
      returning k.*
    ), mine as (
      select project_id, webhook_id, status, was_requested, has_failed_too_long from over_now
      union all select project_id, webhook_id, status, was_requested, has_failed_too_long from retried
    ), counted as (
      insert into webhook_activity as a (project_id, webhook_id, hour, delivered, failed)
      select project_id, webhook_id, date_trunc('hour', now(), 'UTC'),
             count(*) filter (where status = 'delivered'), count(*) filter (where status <> 'delivered')
      from mine where was_requested group by project_id, webhook_id
      on conflict (project_id, webhook_id, hour)
      do update set delivered = a.delivered + excluded.delivered, failed = a.failed + excluded.failed
    ), answers as (
      select project_id, webhook_id, bool_or(status = 'delivered') as any_good, bool_or(status <> 'delivered') as any_bad,
             not bool_or(status = 'delivered') and bool_or(has_failed_too_long) is true as disables
      from mine where was_requested group by project_id, webhook_id
    )
    update webhooks w
    set last_success_at = case when a.any_good then now() else w.last_success_at end,
        last_failure_at = case when a.any_bad then now() else w.last_failure_at end,
        failing_since = case when not a.any_good then coalesce(w.failing_since, now()) end,
        enabled = w.enabled and not a.disables,
        disabled_reason = case when a.disables then 'failing' else w.disabled_reason end,
        updated_at = case when a.disables then now() else w.updated_at end
    from answers a
    where w.project_id = a.project_id and w.id = a.webhook_id
    returning w.project_id, w.id as webhook_id, a.disables as was_disabled`.execute(database);
  return rows.filter(({ wasDisabled }) => wasDisabled);
}
