/** Creates deliveries: a row per event and webhook, in the statement that appends the events. */
import { type RawBuilder, sql } from 'kysely';
import { uuidArray } from '../../db/arrays.ts';
import type { Cte } from '../../db/cte.ts';

/**
 * Common table expressions that create the deliveries of new events. Each enabled webhook of the project that subscribes to the event
 * gets one delivery, which is due at once. No webhook can subscribe to `deferred`.
 *
 * @param appended inserts events and returns their project_id, email_id, id and type
 * @param projectIds the projects of these events
 * @param emitsEvents SQL condition on an event `e`: whether webhooks are notified of the event
 */
export function recordingDeliveries(
  appended: Cte,
  projectIds: readonly string[],
  emitsEvents: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    subscribers as materialized (
      -- The "select" hides how few they are: otherwise PostgreSQL would prefer a plan for just these projects to the
      -- prepared one, and plan each time. That takes longer than all the rest of a small batch.
      select w.project_id, w.id, w.events
      from unnest((select ${uuidArray([...new Set(projectIds)])}::uuid[])) as p (project_id)
      -- "offset 0" keeps the planner from reading all webhooks of all projects instead.
      cross join lateral (select * from webhooks w where w.project_id = p.project_id and w.enabled offset 0) w
    ), due_deliveries as (
      insert into due_deliveries (project_id, webhook_id, id, event_id, email_id, type, next_attempt_at)
      -- A UUIDv7 with the time and the counter of its event, so that a webhook's log is in the order of its events, plus
      -- 62 random bits.
      select e.project_id, w.id, (left(e.id::text, 18) || substr(gen_random_uuid()::text, 19))::uuid, e.id, e.email_id,
             'email.' || e.type, now()
      from ${appended.name} e join subscribers w on w.project_id = e.project_id and 'email.' || e.type = any (w.events)
      where ${emitsEvents}
    )`;
}
