/** The audit log, read. */
import type { ChangeList } from '../contract/dashboard/organizations.ts';
import type { Database } from '../db/database.ts';
import { validationError } from '../model/app-error.ts';
import { decodeId, encodeId, NIL_UUID } from '../model/ids.ts';

interface ChangesQuery {
  /** `prj_...`: of one project */
  project?: string;
  /** Where the page before ended. */
  cursor?: string;
  limit: number;
}

const ID_PREFIX = { user: 'usr', 'api-key': 'key', 'command-line': null, system: null } as const;

/** A page of an organisation's log, the last change first. @throws AppError validation-failed for a cursor that was not given out */
export async function listChanges(
  database: Database,
  organizationId: string,
  { project, cursor, limit }: ChangesQuery,
): Promise<ChangeList> {
  const before = cursor === undefined ? null : decodeId('aud', cursor);
  if (cursor !== undefined && before === null)
    throw validationError({ cursor: 'is none that this list has given out' });
  let query = database
    .selectFrom('auditLog')
    .selectAll()
    .where('organizationId', '=', organizationId)
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (project !== undefined) query = query.where('projectId', '=', decodeId('prj', project) ?? NIL_UUID);
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
      ...{ target: row.target, target_name: row.targetName, before: row.before, after: row.after },
    };
  });
  return { data, next_cursor: rows.length > limit ? (data.at(-1)?.id ?? null) : null };
}
