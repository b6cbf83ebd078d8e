/** Finds routes with due messages. */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf } from '../../db/columns.ts';
import { type Cte, cte } from '../../db/cte.ts';
import type { Database } from '../../db/database.ts';
import { NIL_UUID } from '../../model/ids.ts';
import { type DueScan, PENDING_WEBHOOK } from '../../webhooks/deliver/find-due.ts';

/** The maximum number of routes that one poll finds. The next poll continues after the last route found. */
const MAX_ROUTES = 5_000;
/** Messages that become due within this time are reported too, so that the next poll can be scheduled. */
const HORIZON_MS = 1_000;

/** CTE for `with recursive`: steps from route to route in the index of pending messages, with one probe for each route. */
function steppingThroughRoutes(after: string): Cte {
  return cte(
    'route_hop',
    sql`
      select * from (
        select project_id, route_id, next_attempt_at, 1 as seen from route_messages
        where status = 'pending' and route_id > ${after}
        order by route_id, next_attempt_at limit 1
      ) first
      union all
      select n.project_id, n.route_id, n.next_attempt_at, route_hop.seen + 1
      from route_hop cross join lateral (
        select m.project_id, m.route_id, m.next_attempt_at from route_messages m
        where m.status = 'pending' and m.route_id > route_hop.route_id
        order by m.route_id, m.next_attempt_at limit 1
      ) n
      where route_hop.seen < ${MAX_ROUTES}::int`,
  );
}

/** Condition on a row of `route_hop`: messages are due now or within the horizon, or there are more routes than one scan covers. */
const IS_REPORTED: RawBuilder<unknown> = sql`
  (route_hop.next_attempt_at <= now() + ${sql.lit(HORIZON_MS)} * interval '1 millisecond' or route_hop.seen = ${sql.lit(MAX_ROUTES)})`;

/** CTE for `with recursive`: `routes_due (are_due)`, whether `findDueRoutes` may find a route. */
export function findingDueRoutes(): Cte {
  const hops = steppingThroughRoutes(NIL_UUID);
  return cte(
    'routes_due',
    sql`select exists (select from ${hops.name} where ${IS_REPORTED}) as are_due`,
    hops.sql,
  );
}

/** Finds the routes with due messages after the route `after`. Routes without a URL are not enabled. */
export async function findDueRoutes(database: Database, after: string | null): Promise<DueScan> {
  const { rows } = await columnsOf({ ...PENDING_WEBHOOK.kinds, seen: 'int4' }).sql`
    with recursive ${steppingThroughRoutes(after ?? NIL_UUID).sql}
    select route_hop.project_id, route_hop.route_id as webhook_id, route_hop.seen,
           (extract(epoch from route_hop.next_attempt_at - now()) * 1000)::float8 as due_in_ms,
           r.url is not null as enabled,
           case when r.failing_since is not null then false when r.last_success_at is not null then true end as healthy
    from route_hop left join lateral (
      select * from routes r where r.project_id = route_hop.project_id and r.id = route_hop.route_id offset 0
    ) r on true
    where ${IS_REPORTED}
    order by route_hop.seen`.execute(database);
  const last = rows.at(-1);
  return {
    webhooks: rows,
    next: last !== undefined && last.seen === MAX_ROUTES ? last.webhookId : null,
  };
}
