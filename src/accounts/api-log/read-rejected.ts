/** Reads the API log. */
import type {
  RejectedRequestDetail,
  RejectedRequestPage,
  RejectedRequestQuery,
  RejectedRequestSummary,
} from '../../contract/dashboard/api-log.ts';
import { errorsWithoutContent } from '../../contract/redact.ts';
import type { Database } from '../../db/database.ts';
import { rowIs } from '../../db/row-is.ts';
import { validationError } from '../../model/app-error.ts';
import { decodeId, encodeId, NIL_UUID } from '../../model/ids.ts';

/** A page of a project's log, newest first. @throws AppError validation-failed for a cursor that this list did not return */
export async function listRejected(
  database: Database,
  projectId: string,
  { cursor, limit, key, problem }: RejectedRequestQuery,
): Promise<RejectedRequestPage> {
  const before = cursor === undefined ? null : decodeId('rej', cursor);
  if (cursor !== undefined && before === null)
    throw validationError({
      cursor: 'is not a cursor of this list; send a cursor from a previous response unchanged',
    });
  let query = summaries(database)
    .where('r.projectId', '=', projectId)
    .orderBy('r.id', 'desc')
    .limit(limit + 1);
  if (before !== null) query = query.where('r.id', '<', before);
  if (key !== undefined) query = query.where('r.keyId', '=', decodeId('key', key) ?? NIL_UUID);
  if (problem !== undefined) query = query.where('r.problem', '=', problem);
  const rows = await query.execute();
  const data = rows.slice(0, limit).map(summaryOf);
  return { data, next_cursor: rows.length > limit ? (data.at(-1)?.id ?? null) : null };
}

/** @returns null if the project's log has no such request */
export async function readRejected(
  database: Database,
  projectId: string,
  id: string,
  includesBody: boolean,
): Promise<RejectedRequestDetail | null> {
  const row = await summaries(database)
    .select(['r.body', 'r.address', 'r.userAgent', 'r.requestId'])
    .where((where) => rowIs(where, { 'r.projectId': projectId, 'r.id': id }))
    .executeTakeFirst();
  if (row === undefined) return null;
  const { errors, body, address, userAgent, requestId } = row;
  return {
    ...summaryOf(row),
    errors: errors === null || includesBody ? errors : errorsWithoutContent(errors),
    body: body === null || !includesBody ? null : JSON.stringify(body, null, 2),
    hides_body: body !== null && !includesBody,
    address,
    user_agent: userAgent,
    request_id: requestId,
  };
}

function summaries(database: Database) {
  return database
    .selectFrom('rejectedRequests as r')
    .innerJoin('apiKeys as k', (join) =>
      join.onRef('k.projectId', '=', 'r.projectId').onRef('k.id', '=', 'r.keyId'),
    )
    .select([
      'r.id',
      'r.createdAt',
      'r.keyId',
      'k.name',
      'k.revokedAt',
      'r.method',
      'r.route',
      'r.path',
      'r.status',
    ])
    .select(['r.problem', 'r.detail', 'r.errors', 'r.omitted']);
}

type SummaryRow = Awaited<ReturnType<ReturnType<typeof summaries>['execute']>>[number];

function summaryOf({
  id,
  createdAt,
  keyId,
  name,
  revokedAt,
  omitted,
  errors,
  ...row
}: SummaryRow): RejectedRequestSummary {
  const { method, route, path, status, problem, detail } = row;
  return {
    id: encodeId('rej', id),
    created_at: createdAt.toISOString(),
    key: { id: encodeId('key', keyId), name, revoked: revokedAt !== null },
    method,
    route,
    path,
    status,
    problem: problem as RejectedRequestSummary['problem'],
    detail,
    invalid_fields: Object.keys(errors ?? {}),
    omitted_before: omitted,
  };
}
