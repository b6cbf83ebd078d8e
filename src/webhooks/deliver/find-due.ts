/** Finds the webhooks, or routes, with due deliveries. */
import { type RawBuilder, sql } from 'kysely';
import { type Cte, cte } from '../../db/cte.ts';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { NIL_UUID } from '../../model/ids.ts';

/** The maximum number of webhooks or routes that one poll finds. The next poll continues after the last one found. */
const MAX_FOUND = 5_000;
/** Deliveries that become due within this time are reported too, so that the next poll can be scheduled. */
const HORIZON_MS = 1_000;

const PENDING_WEBHOOK = columnsOf({
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

/** A table of pending deliveries, with an index by endpoint and time. */
export interface DueTable {
  /** A name for the statement that reads several tables. */
  name: string;
  /** The table as `d`, with the condition on pending rows if it has others too. */
  pending: { table: RawBuilder<unknown>; condition: RawBuilder<unknown> };
  /** The column of `d` with the id of the webhook or route. */
  endpoint: RawBuilder<unknown>;
  /** The table of webhooks or routes as `e`, and whether deliveries are sent to it. */
  endpoints: { table: RawBuilder<unknown>; isEnabled: RawBuilder<unknown> };
}

export const DUE_WEBHOOKS: DueTable = {
  name: 'webhooks',
  pending: { table: sql`due_deliveries d`, condition: sql`true` },
  endpoint: sql`d.webhook_id`,
  endpoints: { table: sql`webhooks e`, isEnabled: sql`coalesce(e.enabled, false)` },
};

/**
 * CTE for `with recursive`: steps from endpoint to endpoint in the index of pending deliveries, with one probe for each endpoint that has
 * deliveries. So idle endpoints and long backlogs cost nothing. The first index entry of an endpoint is also its earliest delivery.
 */
function stepping({ name, pending, endpoint }: DueTable, after: string): Cte {
  const hop = sql.raw(`${name}_hop`);
  const columns = sql`d.project_id, ${endpoint} as endpoint_id, d.next_attempt_at`;
  const first = sql`order by ${endpoint}, d.next_attempt_at limit 1`;
  return cte(
    `${name}_hop`,
    sql`
      select * from (
        select ${columns}, 1 as seen from ${pending.table}
        where ${pending.condition} and ${endpoint} > ${after}
        ${first}
      ) first
      union all
      select n.project_id, n.endpoint_id, n.next_attempt_at, ${hop}.seen + 1
      from ${hop} cross join lateral (
        select ${columns} from ${pending.table}
        where ${pending.condition} and ${endpoint} > ${hop}.endpoint_id
        ${first}
      ) n
      where ${hop}.seen < ${MAX_FOUND}::int`,
  );
}

/** Condition on a row of a hop: deliveries are due now or within the horizon, or there are more endpoints than one scan covers. */
const IS_REPORTED: RawBuilder<unknown> = sql`
  (next_attempt_at <= now() + ${sql.lit(HORIZON_MS)} * interval '1 millisecond' or seen = ${sql.lit(MAX_FOUND)})`;

/** CTE for `with recursive`: `<name>_due (are_due)`, whether `findDue` may find an endpoint. */
export function findingDue(table: DueTable): Cte {
  const hops = stepping(table, NIL_UUID);
  return cte(
    `${table.name}_due`,
    sql`select exists (select from ${hops.name} where ${IS_REPORTED}) as are_due`,
    hops.sql,
  );
}

/** Finds the webhooks or routes with due deliveries after the one with the id `after`. */
export async function findDue(database: Database, table: DueTable, after: string | null): Promise<DueScan> {
  const hops = stepping(table, after ?? NIL_UUID);
  const { rows } = await columnsOf({ ...PENDING_WEBHOOK.kinds, seen: 'int4' }).sql`
    with recursive ${hops.sql}
    select h.project_id, h.endpoint_id as webhook_id, h.seen,
           (extract(epoch from h.next_attempt_at - now()) * 1000)::float8 as due_in_ms,
           ${table.endpoints.isEnabled} as enabled,
           case when e.failing_since is not null then false when e.last_success_at is not null then true end as healthy
    from (select * from ${hops.name} where ${IS_REPORTED}) h left join lateral (
      select * from ${table.endpoints.table} where e.project_id = h.project_id and e.id = h.endpoint_id offset 0
    ) e on true
    order by h.seen`.execute(database);
  const last = rows.at(-1);
  return {
    webhooks: rows,
    next: last !== undefined && last.seen === MAX_FOUND ? last.webhookId : null,
  };
}
