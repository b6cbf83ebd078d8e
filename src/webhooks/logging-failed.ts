import { type RawBuilder, sql } from 'kysely';
import type { Cte } from '../db/cte.ts';

/** The errors of deliveries that failed without an attempt, because of their webhook. */
export const WITHDRAWN = {
  /** The webhook was disabled while the delivery was pending. */
  before: 'the webhook was disabled',
  /** The delivery was found at a disabled webhook. */
  after: 'the webhook is disabled',
} as const;

/**
 * A statement that moves deliveries to the log as failed, together with the response that was stored last. `error` replaces the stored
 * error.
 * @param over a CTE that deletes the deliveries from due_deliveries and returns whole rows
 * @param error SQL for the error of a row `d`
 */
export function loggingFailed(over: Cte, error: RawBuilder<string>): RawBuilder<unknown> {
  return sql`
    insert into deliveries (project_id, webhook_id, id, event_id, email_id, type, status, attempts, max_attempts, last_attempt_at,
      http_status, error, duration_ms, response_body, response_truncated, past_attempts)
    select d.project_id, d.webhook_id, d.id, d.event_id, d.email_id, d.type, 'failed', least(d.attempts, d.max_attempts), d.max_attempts,
      d.last_attempt_at, d.http_status, ${error}, d.duration_ms, d.response_body, d.response_truncated,
      d.past_attempts
    from ${over.name} d`;
}
