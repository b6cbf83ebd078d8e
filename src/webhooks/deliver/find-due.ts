/** Finds webhooks with due deliveries. */
import { type RawBuilder, sql } from 'kysely';
import { type Cte, cte } from '../../db/cte.ts';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { NIL_UUID } from '../../model/ids.ts';

/** The maximum number of webhooks that one poll finds. The next poll continues after the last webhook found. */
const MAX_WEBHOOKS = 5_000;
/** Deliveries that become due within this time are reported too, so that the next poll can be scheduled. */
const HORIZON_MS = 1_000;

export const PENDING_WEBHOOK = columnsOf({
  projectId: 'uuid',
  webhookId: 'uuid',
  /** The time until the webhook's first delivery is due; 0 or less if it is due. */
  dueInMs: 'float8',
  /** False also if the webhook was deleted. */
  enabled: 'bool',
  /** Whether the last attempts succeeded; null if unknown, for example before the first attempt. */
  healthy: 'bool?',
});
type PendingWebhook = RowOf<typeof PENDING_WEBHOOK>;

export interface DueScan {
  /** The webhooks with deliveries due now or within the horizon. */
  webhooks: PendingWebhook[];
  /** The position at which the next poll continues; null for the beginning. */
  next: string | null;
}

/**
 * CTE for `with recursive`: steps from webhook to webhook in the index of due deliveries, with one probe for each webhook that has
 * deliveries. So idle webhooks and long backlogs cost nothing. The first index entry of a webhook is also its earliest delivery.
 */
function steppingThroughWebhooks(after: string): Cte {
  return cte(
    'hop',
    sql`
      select * from (
        select project_id, webhook_id, next_attempt_at, 1 as seen from due_deliveries
        where webhook_id > ${after}
        order by webhook_id, next_attempt_at limit 1
      ) first
      union all
      select n.project_id, n.webhook_id, n.next_attempt_at, hop.seen + 1
      from hop cross join lateral (
        select d.project_id, d.webhook_id, d.next_attempt_at from due_deliveries d
        where d.webhook_id > hop.webhook_id
        order by d.webhook_id, d.next_attempt_at limit 1
      ) n
      where hop.seen < ${MAX_WEBHOOKS}::int`,
  );
}

/** Condition on a row of `hop`: deliveries are due now or within the horizon, or there are more webhooks than one scan covers. */
const IS_REPORTED: RawBuilder<unknown> = sql`
  (hop.next_attempt_at <= now() + ${sql.lit(HORIZON_MS)} * interval '1 millisecond' or hop.seen = ${sql.lit(MAX_WEBHOOKS)})`;

/** CTE for `with recursive`: `webhooks_due (are_due)`, whether `findDue` may find a webhook. */
export function findingDueWebhooks(): Cte {
  const hops = steppingThroughWebhooks(NIL_UUID);
  return cte(
    'webhooks_due',
    sql`select exists (select from ${hops.name} where ${IS_REPORTED}) as are_due`,
    hops.sql,
  );
}

/** Finds the webhooks with due deliveries after the webhook `after`. */
export async function findDue(database: Database, after: string | null): Promise<DueScan> {
  const { rows } = await columnsOf({ ...PENDING_WEBHOOK.kinds, seen: 'int4' }).sql`
    with recursive ${steppingThroughWebhooks(after ?? NIL_UUID).sql}
    select hop.project_id, hop.webhook_id, hop.seen,
           (extract(epoch from hop.next_attempt_at - now()) * 1000)::float8 as due_in_ms,
           coalesce(w.enabled, false) as enabled,
           case when w.failing_since is not null then false when w.last_success_at is not null then true end as healthy
    from hop left join lateral (
      select * from webhooks w where w.project_id = hop.project_id and w.id = hop.webhook_id offset 0
    ) w on true
    where ${IS_REPORTED}
    order by hop.seen`.execute(database);
  const last = rows.at(-1);
  return {
    webhooks: rows,
    next: last !== undefined && last.seen === MAX_WEBHOOKS ? last.webhookId : null,
  };
}
