/** The messages of a route as the dashboard shows them: their delivery, and no content. */
import { sql } from 'kysely';
import { bodyOf } from '../../contract/body-of.ts';
import {
  RouteMessageAttempts,
  type RouteMessagePage,
  type RouteMessagePageQuery,
  RouteMessageSummary,
} from '../../contract/dashboard/route-messages.ts';
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import type { FairReads } from '../../db/fair-reads.ts';
import { cursorOf } from '../../model/cursor.ts';
import { encodeId, timeOf } from '../../model/ids.ts';
import type { PastAttempt } from '../../model/past-attempt.ts';
import type { RouteMessageStatus } from '../../model/routes.ts';
import { attemptResults, STORED_ATTEMPTS } from '../../webhooks/past-attempts.ts';
import type { RouteKey } from './find-messages.ts';

const DEFAULT_LIMIT = 50;
const END = cursorOf('messages of a route', { id: 'uuid' });
const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const LISTED = {
  id: 'uuid',
  status: shaped<RouteMessageStatus>('text'),
  octets: 'int4',
  author: 'text?',
  subject: 'text?',
  recipients: 'text[]',
  attempts: 'int2',
  maxAttempts: 'int2',
  isSending: 'bool',
  httpStatus: 'int2?',
  error: 'text?',
  durationMs: 'int4?',
  lastAttemptAt: 'timestamptz?',
  nextAttemptAt: 'timestamptz?',
  deliveredAt: 'timestamptz?',
  expiresAt: 'timestamptz',
} as const;
const SUMMARY = columnsOf(LISTED);
const DETAIL = columnsOf({
  ...LISTED,
  responseBody: 'text?',
  responseTruncated: 'bool',
  storedAttempts: shaped<PastAttempt[] | null>('jsonb?'),
});

/** SQL: the columns of the message `d` of the route `r`. Mail of a mailbox is private: its sender and subject are left out. */
const COLUMNS = sql.raw(`d.id, d.status, d.octets, case when r.mailbox_id is null then d.author end as author,
  case when r.mailbox_id is null then d.subject end as subject, d.recipients, d.attempts, d.max_attempts,
  d.status = 'pending' and d.lease_id is not null as is_sending, d.http_status, d.error, d.duration_ms, d.last_attempt_at,
  case when d.status = 'pending' then d.next_attempt_at end as next_attempt_at, d.delivered_at, d.expires_at`);

const summaryBody = bodyOf(RouteMessageSummary);
const attemptsBody = bodyOf(RouteMessageAttempts);

export class DashboardRouteMessages {
  readonly #reads: FairReads;

  constructor(reads: FairReads) {
    this.#reads = reads;
  }

  /** @returns null if the project has no such route @throws AppError validation-failed for an invalid cursor */
  async list(
    { projectId, routeId }: RouteKey,
    { status, cursor, limit = DEFAULT_LIMIT }: RouteMessagePageQuery,
  ): Promise<RouteMessagePage | null> {
    const before = cursor === undefined ? LAST_UUID : END.decode(cursor).id;
    const isOfStatus = status === undefined ? sql`` : sql`and d.status = ${status}`;
    const rows = await this.#reads.run(projectId, async (database) => {
      const routes = await columnsOf({ id: 'uuid' }).sql`
        select id from routes where project_id = ${projectId} and id = ${routeId}`.execute(database);
      if (routes.rows.length === 0) return null;
      const found = await SUMMARY.sql`
        select ${COLUMNS} from routes r join route_messages d on d.project_id = r.project_id and d.route_id = r.id
        where r.project_id = ${projectId} and r.id = ${routeId} and d.id < ${before} ${isOfStatus}
        order by d.id desc limit ${limit + 1}`.execute(database);
      return found.rows;
    });
    if (rows === null) return null;
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const hasMore = rows.length > limit && last !== undefined;
    return {
      data: page.map((row) => summaryBody(shown(row))),
      next_cursor: hasMore ? END.encode({ id: last.id }) : null,
    };
  }

  /** @returns null if the route has no such message */
  async get({ projectId, routeId }: RouteKey, messageId: string): Promise<RouteMessageAttempts | null> {
    const { rows } = await this.#reads.run(projectId, (database) =>
      DETAIL.sql`
        select ${COLUMNS}, d.response_body, d.response_truncated, ${STORED_ATTEMPTS} as stored_attempts
        from routes r join route_messages d on d.project_id = r.project_id and d.route_id = r.id
        where r.project_id = ${projectId} and r.id = ${routeId} and d.id = ${messageId}`.execute(database),
    );
    const [row] = rows;
    if (row === undefined) return null;
    return attemptsBody({
      ...shown(row),
      responseBody: row.responseBody ?? '',
      truncated: row.responseTruncated,
      pastAttempts: attemptResults(row.storedAttempts, true),
    });
  }
}

function shown<Row extends RowOf<typeof SUMMARY>>(row: Row) {
  return { ...row, id: encodeId('rm', row.id), createdAt: timeOf(row.id) };
}
