/** Reads the messages of a route. The messages of a mailbox's route are found only while the mailbox permits access by programs. */
import { sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import type { RoutedMessage } from '../routed-message.ts';

/** A route as uuids. */
export interface RouteKey {
  projectId: string;
  routeId: string;
}

/** A stored message without its bytes. */
const STORED = columnsOf({
  id: 'uuid',
  position: 'int8',
  digest: 'bytea',
  octets: 'int4',
  reversePath: 'text',
  recipients: 'text[]',
  clientAddress: 'text',
  helo: 'text',
  authentication: shaped<RoutedMessage['authentication']>('json'),
  spam: shaped<RoutedMessage['spam']>('json'),
});
export type StoredMessage = RowOf<typeof STORED>;

const COLUMNS = sql.raw(
  'm.id, m.position, m.digest, m.octets, m.reverse_path, m.recipients, m.client_address, m.helo, m.authentication, m.spam',
);
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
): Promise<StoredMessage[]> {
  const { rows } = await STORED.sql`
    select ${COLUMNS} from ${READABLE}
    where r.project_id = ${projectId} and r.id = ${routeId} and m.position > ${after}
    order by m.position limit ${limit}`.execute(database);
  return rows;
}

export async function findMessage(
  database: Database,
  { projectId, routeId }: RouteKey,
  messageId: string,
): Promise<StoredMessage | null> {
  const { rows } = await STORED.sql`
    select ${COLUMNS} from ${READABLE}
    where r.project_id = ${projectId} and r.id = ${routeId} and m.id = ${messageId}`.execute(database);
  return rows[0] ?? null;
}
