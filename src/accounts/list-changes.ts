/** Reads the audit log. */
import { sql } from 'kysely';
import type { ChangeList } from '../contract/dashboard/organizations.ts';
import type { Database } from '../db/database.ts';
import { validationError } from '../model/app-error.ts';
import { decodeId, encodeId, firstUuidAt, NIL_UUID } from '../model/ids.ts';

export interface ChangesFilter {
  /** The public id of a project: `prj_...`. */
  project?: string;
  /** A part of the actor's name. */
  who?: string;
  by?: keyof typeof ID_PREFIX;
  /** An action such as `api-key.create`, or a resource type such as `api-key`. */
  what?: string;
  /** An ISO time. */
  since?: string;
}

interface ChangesQuery extends ChangesFilter {
  /** The end of the previous page. */
  cursor?: string;
  limit: number;
}

const ID_PREFIX = {
  user: 'usr',
  'api-key': 'key',
  'command-line': null,
  system: null,
  mailbox: 'mbx',
} as const;

/** A page of an organization's log, newest change first. @throws AppError validation-failed for a cursor that this list did not return */
export async function listChanges(
  database: Database,
  organizationId: string,
  { cursor, limit, ...filter }: ChangesQuery,
): Promise<ChangeList> {
  const before = cursor === undefined ? null : decodeId('aud', cursor);
  if (cursor !== undefined && before === null)
    throw validationError({
      cursor: 'is not a cursor of this list; send a cursor from a previous response unchanged',
    });
  let query = database
    .selectFrom('auditLog')
    .selectAll()
    .where('organizationId', '=', organizationId)
    .orderBy('id', 'desc')
    .limit(limit + 1);
  const { project, who, by, what, since } = filter;
  if (project !== undefined) query = query.where('projectId', '=', decodeId('prj', project) ?? NIL_UUID);
  if (who !== undefined) query = query.where(sql<boolean>`position(lower(${who}) in lower(actor_name)) > 0`);
  if (by !== undefined) query = query.where('actorKind', '=', by);
  if (what !== undefined)
    query = query.where(sql<boolean>`(action = ${what} or split_part(action, '.', 1) = ${what})`);
  if (since !== undefined) query = query.where('id', '>=', firstUuidAt(timeFrom(since)));
  if (before !== null) query = query.where('id', '<', before);
  const rows = await query.execute();
  const data = rows.slice(0, limit).map(({ id, actorKind, actorId, projectId, ...row }) => {
    const prefix = ID_PREFIX[actorKind];
    return {
      id: encodeId('aud', id),
      created_at: row.createdAt.toISOString(),
      action: row.action,
      actor: {
        kind: actorKind,
        id: prefix === null || actorId === null ? null : encodeId(prefix, actorId),
        name: row.actorName,
        address: row.address,
      },
      project_id: projectId === null ? null : encodeId('prj', projectId),
      target: row.target,
      target_name: row.targetName,
      before: row.before,
      after: row.after,
    };
  });
  return { data, next_cursor: rows.length > limit ? (data.at(-1)?.id ?? null) : null };
}

function timeFrom(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw validationError({ since: 'must be a time, such as 2027-01-31T12:00:00Z' });
  return time;
}
