/** Shares: the directory of one project, open to another one of the same organisation. Projects are given by uuid. */
import { rowIs } from '../db/row-is.ts';
import type { Database } from '../db/database.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { encodeId, newUuid, timeOf } from '../model/ids.ts';

/**
 * Opens the directory of a project to another one. What is shared is the project's own people, not those shared to it.
 * @returns the share's id: shr_...
 * @throws AppError validation-failed for the project itself or another organisation; already-exists
 */
export async function shareDirectory(
  database: Database,
  projectId: string,
  toProjectId: string,
): Promise<string> {
  if (projectId === toProjectId) throw validationError({ to: 'is the project itself' });
  const projects = await database
    .selectFrom('projects')
    .select(['organizationId'])
    .distinct()
    .where('id', 'in', [projectId, toProjectId])
    .execute();
  if (projects.length !== 1) {
    throw validationError({
      to: 'belongs to another organisation; a directory is shared within one organisation',
    });
  }
  const id = newUuid();
  const inserted = await database
    .insertInto('shares')
    .values({ projectId, id, toProjectId, createdAt: timeOf(id) })
    .onConflict((conflict) => conflict.columns(['projectId', 'toProjectId']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted === undefined) {
    throw new AppError('already-exists', 'The directory is shared with that project already.', {
      errors: { to: 'sees the directory already' },
    });
  }
  return encodeId('shr', id);
}

/** @returns false when there is no such share */
export async function unshareDirectory(
  database: Database,
  projectId: string,
  toProjectId: string,
): Promise<boolean> {
  const { numDeletedRows } = await database
    .deleteFrom('shares')
    .where((row) => rowIs(row, { projectId, toProjectId }))
    .executeTakeFirst();
  return numDeletedRows === 1n;
}
