/** Reads the messages of a route. The messages of a mailbox's route are found only while the mailbox permits access by programs. */
import { sql } from 'kysely';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { STORED_COLUMNS, STORED_MESSAGE } from '../routed-message.ts';

/** A route as uuids. */
export interface RouteKey {
  projectId: string;
  routeId: string;
}

const PLACED = columnsOf({ ...STORED_MESSAGE.kinds, position: 'int8' });
/** A stored message with its position in the order of commits. */
export type PlacedMessage = RowOf<typeof PLACED>;

const COLUMNS = sql`m.position, ${STORED_COLUMNS}`;
/** SQL: the messages `m` of the route `r`, if programs may read them. */
const READABLE = sql`
  routes r left join mailboxes b on b.project_id = r.project_id and b.id = r.mailbox_id
  join route_messages m on m.project_id = r.project_id and m.route_id = r.id and (r.mailbox_id is null or b.api_access)`;

/** Whether the project has the route, and whether programs may read its messages. */
export async function findAccess(
  database: Database,
  { projectId, routeId }: RouteKey,
): Promise<{ isReadable: boolean } | null> {
  const { rows } = await columnsOf({ isReadable: 'bool' }).sql`
    select r.mailbox_id is null or coalesce(b.api_access, false) as is_readable
    from routes r left join mailboxes b on b.project_id = r.project_id and b.id = r.mailbox_id
    where r.project_id = ${projectId} and r.id = ${routeId}`.execute(database);
  return rows[0] ?? null;
}

/** The next messages in the order in which they were stored. @param after the position of the last known message */
export async function findNext(
  database: Database,
  { projectId, routeId }: RouteKey,
  after: string,
  limit: number,
): Promise<PlacedMessage[]> {
  const { rows } = await PLACED.sql`
    select ${COLUMNS} from ${READABLE}
    where r.project_id = ${projectId} and r.id = ${routeId} and m.position > ${after}
    order by m.position limit ${limit}`.execute(database);
  return rows;
}

export async function findMessage(
  database: Database,
  { projectId, routeId }: RouteKey,
  messageId: string,
): Promise<PlacedMessage | null> {
  const { rows } = await PLACED.sql`
    select ${COLUMNS} from ${READABLE}
    where r.project_id = ${projectId} and r.id = ${routeId} and m.id = ${messageId}`.execute(database);
  return rows[0] ?? null;
}
