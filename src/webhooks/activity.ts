/** The number of delivery attempts and their outcomes, by hour or by day (UTC). */
import { sql } from 'kysely';
import { columnsOf } from '../db/columns.ts';
import type { WebhookActivity } from '../contract/dashboard/webhooks.ts';
import { uuidArray } from '../db/arrays.ts';
import type { Database } from '../db/database.ts';
import * as clock from '../model/clock.ts';

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
/** How many days the counts are stored: the longest span, plus a margin. */
const KEPT_DAYS = 32;

/** Time spans of the charts, by name. */
const ACTIVITY_SPANS = {
  '24h': { steps: 24, stepSeconds: HOUR_SECONDS },
  '7d': { steps: 7 * 24, stepSeconds: HOUR_SECONDS },
  '30d': { steps: 30, stepSeconds: DAY_SECONDS },
} as const;

export type ActivitySpan = keyof typeof ACTIVITY_SPANS;

const COUNTED = columnsOf({
  webhookId: 'uuid',
  /** The position of the step in the span, from 0. */
  step: 'int4',
  delivered: 'int4',
  failed: 'int4',
});

/**
 * The attempts in a time span. The last step of the span contains the current time.
 * @param webhookIds webhooks of the project
 * @returns the counts of each webhook
 */
export async function activityOf(
  database: Database,
  projectId: string,
  webhookIds: readonly string[],
  span: ActivitySpan,
): Promise<Map<string, WebhookActivity>> {
  const { steps, stepSeconds } = ACTIVITY_SPANS[span];
  const stepMs = stepSeconds * 1_000;
  const since = new Date((Math.floor(clock.nowMs() / stepMs) - steps + 1) * stepMs);
  const { rows } = await COUNTED.sql`
    select webhook_id, floor(extract(epoch from hour - ${since}::timestamptz) / ${stepSeconds}::int)::int as step,
           sum(delivered)::int as delivered, sum(failed)::int as failed
    from webhook_activity
    where project_id = ${projectId} and webhook_id = any (${uuidArray(webhookIds)}::uuid[]) and hour >= ${since}
    group by 1, 2`.execute(database);
  const activity = new Map(webhookIds.map((id) => [id, emptyActivity(since, steps, stepSeconds)]));
  for (const { webhookId, step, delivered, failed } of rows) {
    // A step beyond the span: its hour began after `since` was computed.
    const counts = step < steps ? activity.get(webhookId) : undefined;
    if (counts === undefined) continue;
    counts.delivered[step] = delivered;
    counts.failed[step] = failed;
  }
  return activity;
}

function emptyActivity(since: Date, steps: number, stepSeconds: number): WebhookActivity {
  const zeros = () => Array.from({ length: steps }, () => 0);
  return {
    since: since.toISOString(),
    step_seconds: stepSeconds,
    delivered: zeros(),
    failed: zeros(),
  };
}

/**
 * Deletes counts that are too old for every span. Goes through the webhooks one by one, because the primary key begins with the webhook.
 */
export async function forgetActivity(database: Database): Promise<void> {
  await sql`
    delete from webhook_activity where ctid = any (array(
      select a.ctid from webhooks w
      cross join lateral (
        select ctid from webhook_activity a
        where a.project_id = w.project_id and a.webhook_id = w.id and a.hour < now() - ${KEPT_DAYS}::int * interval '1 day'
        offset 0
      ) a))`.execute(database);
}
