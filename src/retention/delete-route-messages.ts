/** Deletes messages of routes in batches: those whose retention has ended, and those of deleted routes. */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { NIL_UUID } from '../model/ids.ts';
import { BATCH, type DeletionJob } from './deleting.ts';

const DELETED = columnsOf({ deleted: 'int4' });
const ROUTE = columnsOf({ projectId: 'uuid', routeId: 'uuid', remains: 'bool' });

/** The maximum number of routes that one statement visits. */
const ROUTES_AT_ONCE = 500;

export async function* deletingRouteMessages(database: Database): DeletionJob {
  const isExpired = sql`m.status <> 'pending' and m.expires_at < now()`;
  for (let deleted = BATCH; deleted === BATCH; yield deleted) deleted = await deleteSome(database, isExpired);
  for await (const { projectId, routeId, remains } of routesWithMessages(database)) {
    if (remains) continue;
    const isOrphan = sql`m.project_id = ${projectId} and m.route_id = ${routeId}`;
    for (let deleted = BATCH; deleted === BATCH; yield deleted)
      deleted = await deleteSome(database, isOrphan);
  }
}

/** Deletes rows that no attempt changes now, and releases their storage. The blob sweep deletes their bytes later. */
async function deleteSome(database: Database, condition: RawBuilder<unknown>): Promise<number> {
  const { rows } = await DELETED.sql`
    with due as materialized (
      select m.project_id, m.id from route_messages m where ${condition} limit ${BATCH}::int for update skip locked
    ), gone as (
      delete from route_messages m using due where m.project_id = due.project_id and m.id = due.id
      returning m.project_id, m.octets
    ), metered as (
      insert into storage_changes (project_id, id, bytes)
      select g.project_id, gen_random_uuid(), -sum(g.octets) from gone g join projects p on p.id = g.project_id group by g.project_id
    )
    select count(*)::int as deleted from gone`.execute(database);
  return rows[0]?.deleted ?? 0;
}

/** Steps from route to route in the index of messages, so that long lists of messages cost nothing. */
async function* routesWithMessages(database: Database) {
  let after = { projectId: NIL_UUID, routeId: NIL_UUID };
  for (;;) {
    const { rows } = await ROUTE.sql`
      with recursive hop as (
        select * from (
          select project_id, route_id, 1 as seen from route_messages
          where (project_id, route_id) > (${after.projectId}::uuid, ${after.routeId}::uuid)
          order by project_id, route_id limit 1
        ) first
        union all
        select n.project_id, n.route_id, hop.seen + 1 from hop cross join lateral (
          select m.project_id, m.route_id from route_messages m
          where (m.project_id, m.route_id) > (hop.project_id, hop.route_id)
          order by m.project_id, m.route_id limit 1
        ) n
        where hop.seen < ${ROUTES_AT_ONCE}::int
      )
      select h.project_id, h.route_id, exists (select from routes r where r.project_id = h.project_id and r.id = h.route_id) as remains
      from hop h order by h.project_id, h.route_id`.execute(database);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROUTES_AT_ONCE) return;
    after = last;
  }
}
