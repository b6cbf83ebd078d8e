/**
 * Scans the deliveries of a webhook. Each scan reads one index in order, over a limited number of rows, whatever the filters match. So a
 * filter with few matches causes short pages, never a long statement.
 */
import { sql } from 'kysely';
import { columnsOf, outer, shaped } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import type { WebhookKey } from '../deliver/claim-deliveries.ts';
import { DELIVERY, type DeliveryRow } from '../records.ts';

export interface DeliveryFilter {
  status?: DeliveryRow['status'] | undefined;
  type?: string | undefined;
  /** The first ID of the range. The range ends before `untilId`. */
  fromId: string;
  untilId: string;
}

/** `dueAt` is PostgreSQL's text of the time, to the microsecond. */
export interface DueEnd {
  dueAt: string;
  eventId: string;
}

const { responseBody: _, responseTruncated: __, ...WITHOUT_BODY } = DELIVERY.kinds;
const LISTED = { ...WITHOUT_BODY, isSending: 'bool' } as const;
/** A row without the body of the response. */
export interface ListedDelivery extends Omit<DeliveryRow, 'responseBody' | 'responseTruncated'> {
  /** Whether an attempt is in progress. */
  isSending: boolean;
}

export interface DeliveryScan<End> {
  /** The matches, in the order of the scan. */
  found: ListedDelivery[];
  /** The position at which the scan ended; null if no rows are left. */
  end: End | null;
}

/** The maximum number of rows that one statement reads. Reading this many rows takes about 10 ms. */
const ROWS = 5_000;

const LOGGED = sql.raw(`project_id, webhook_id, id, event_id, email_id, type, status, attempts, max_attempts,
  null::timestamptz as next_attempt_at, last_attempt_at, delivered_at, http_status, error, duration_ms, false as is_sending`);
const DUE =
  sql.raw(`project_id, webhook_id, id, event_id, email_id, type, 'pending' as status, attempts, max_attempts,
  next_attempt_at, last_attempt_at, null::timestamptz as delivered_at, http_status, error, duration_ms, lease_id is not null as is_sending`);

const WALKED = outer(LISTED);
type Walked = { [Column in keyof ListedDelivery]: ListedDelivery[Column] | null };

/** Finished deliveries, newest first. @param limit the maximum number of deliveries */
export async function findLogged(
  database: Database,
  { projectId, webhookId }: WebhookKey,
  { status, type, fromId, untilId }: DeliveryFilter,
  limit: number,
): Promise<DeliveryScan<string>> {
  // Failed deliveries have a separate index.
  const isFailed = status === 'failed' ? sql`and status = 'failed'` : sql``;
  const { rows } = await columnsOf({ ...WALKED, walked: 'int4', lastId: 'uuid?' }).sql`
    with walked as materialized (
      select ${LOGGED} from deliveries
      where project_id = ${projectId} and webhook_id = ${webhookId} and id >= ${fromId} and id < ${untilId} ${isFailed}
      order by id desc limit ${ROWS}
    )
    select f.*, (select count(*)::int from walked) as walked, (select id from walked order by id limit 1) as last_id
    from (select 1) as one left join lateral (
      select * from walked where (${status ?? null}::text is null or status = ${status ?? null}) and (${type ?? null}::text is null or type = ${type ?? null})
      order by id desc limit ${limit}
    ) f on true`.execute(database);
  const found = rows.filter(isFound);
  const [whole] = rows;
  if (found.length === limit) return { found, end: found.at(-1)?.id ?? null };
  return { found, end: whole?.walked === ROWS ? whole.lastId : null };
}

/** Finds pending deliveries, next due first. @param after the end of the previous scan; null to begin */
export async function findPending(
  database: Database,
  { projectId, webhookId }: WebhookKey,
  { type, fromId, untilId }: DeliveryFilter,
  after: DueEnd | null,
  limit: number,
): Promise<DeliveryScan<DueEnd>> {
  const isAfter =
    after === null
      ? sql``
      : sql`and (next_attempt_at, event_id) > (${after.dueAt}::timestamptz, ${after.eventId}::uuid)`;
  const { rows } = await columnsOf({
    ...WALKED,
    dueAt: 'text?',
    walked: 'int4',
    lastDue: shaped<DueEnd | null>('json?'),
  }).sql`
    with walked as materialized (
      select ${DUE}, next_attempt_at::text as due_at from due_deliveries
      where webhook_id = ${webhookId} and project_id = ${projectId} ${isAfter}
      order by next_attempt_at, event_id limit ${ROWS}
    )
    select f.*, (select count(*)::int from walked) as walked,
           (select json_build_object('dueAt', due_at, 'eventId', event_id) from walked order by next_attempt_at desc, event_id desc limit 1) as last_due
    from (select 1) as one left join lateral (
      select * from walked where id >= ${fromId} and id < ${untilId} and (${type ?? null}::text is null or type = ${type ?? null})
      order by next_attempt_at, event_id limit ${limit}
    ) f on true`.execute(database);
  const found = rows.filter(isFound);
  const [whole] = rows;
  const last = found.at(-1);
  if (last !== undefined && found.length === limit && last.dueAt !== null)
    return { found, end: { dueAt: last.dueAt, eventId: last.eventId } };
  return { found, end: whole?.walked === ROWS ? whole.lastDue : null };
}

function isFound<Row extends Walked>(row: Row): row is Row & ListedDelivery {
  return row.id !== null;
}

/** The number of pending deliveries, counted up to `most`, and the time at which the first pending delivery is due. */
export async function countWaiting(
  database: Database,
  { projectId, webhookId }: WebhookKey,
  most: number,
): Promise<{ count: number; nextAt: Date | null }> {
  const { rows } = await columnsOf({ count: 'int4', nextAt: 'timestamptz?' }).sql`
    select count(*)::int as count, min(next_attempt_at) as next_at from (
      select next_attempt_at from due_deliveries where webhook_id = ${webhookId} and project_id = ${projectId}
      order by next_attempt_at limit ${most}
    ) waiting`.execute(database);
  return rows[0] ?? { count: 0, nextAt: null };
}

/** The number of pending deliveries that wait for a later attempt, counted up to `most`. */
export async function countRetryable(
  database: Database | DatabaseTransaction,
  { projectId, webhookId }: WebhookKey,
  most: number,
): Promise<number> {
  const { rows } = await columnsOf({ count: 'int4' }).sql`
    select count(*)::int as count from (
      select from due_deliveries
      where webhook_id = ${webhookId} and project_id = ${projectId} and next_attempt_at > now() and lease_id is null
      limit ${most}
    ) retryable`.execute(database);
  return rows[0]?.count ?? 0;
}
