import type { SystemChangeList } from '../../contract/dashboard/system.ts';
import type { Database } from '../../db/database.ts';
import { validationError } from '../../model/app-error.ts';
import { decodeId, encodeId, timeOf } from '../../model/ids.ts';

const PAGE = 50;

/** Lists the changes by operators, newest first. @throws AppError validation-failed if the cursor is not from this list */
export async function listSystemChanges(
  database: Database,
  { cursor, limit = PAGE }: { cursor?: string; limit?: number },
): Promise<SystemChangeList> {
  const before = cursor === undefined ? null : decodeId('aud', cursor);
  if (cursor !== undefined && before === null)
    throw validationError({
      cursor: 'is not a cursor of this list; send a cursor from a previous response unchanged',
    });
  let query = database
    .selectFrom('systemChanges')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (before !== null) query = query.where('id', '<', before);
  const rows = await query.execute();
  const data = rows.slice(0, limit).map(({ id, action, actorKind, actorName, address, target, after }) => ({
    id: encodeId('aud', id),
    created_at: timeOf(id).toISOString(),
    action,
    actor: { kind: actorKind, name: actorName, address },
    target,
    after: after as Record<string, unknown> | null,
  }));
  return { data, next_cursor: rows.length > limit ? (data.at(-1)?.id ?? null) : null };
}
