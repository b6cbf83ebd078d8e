/** Shares make the directory of one project visible to another project of the same organization. Projects are identified by uuid. */
import { recordChange } from '../accounts/audit.ts';
import { rowIs } from '../db/row-is.ts';
import type { Database } from '../db/database.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { encodeId, newUuid, timeOf } from '../model/ids.ts';

/**
 * Shares the directory of a project with another project. Only the project's own people are shared. People that other projects share with
 * the project are not passed on.
 * @returns the public id of the share: `shr_...`
 * @throws AppError validation-failed if both projects are the same, or if the other project belongs to another organization; already-exists
 */
export async function shareDirectory(
  database: Database,
  projectId: string,
  toProjectId: string,
): Promise<string> {
  if (projectId === toProjectId) throw validationError({ to: 'must be another project' });
  const projects = await database
    .selectFrom('projects')
    .select(['organizationId'])
    .distinct()
    .where('id', 'in', [projectId, toProjectId])
    .execute();
  if (projects.length !== 1) {
    throw validationError({
      to: 'belongs to another organization; a directory can be shared only within one organization',
    });
  }
  return database.transaction().execute(async (tx) => {
    const id = newUuid();
    const inserted = await tx
      .insertInto('shares')
      .values({ projectId, id, toProjectId, createdAt: timeOf(id) })
      .onConflict((conflict) => conflict.columns(['projectId', 'toProjectId']).doNothing())
      .returning('id')
      .executeTakeFirst();
    if (inserted === undefined) {
      throw new AppError('already-exists', 'The directory is already shared with that project.', {
        errors: { to: 'can already see the directory' },
      });
    }
    const target = encodeId('shr', id);
    await recordChange(tx, {
      of: { projectId },
      action: 'share.create',
      target,
      after: { to_project_id: encodeId('prj', toProjectId) },
    });
    return target;
  });
}

/** @returns false if there is no such share */
export async function unshareDirectory(
  database: Database,
  projectId: string,
  share: { toProjectId: string } | { id: string },
): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    const deleted = await tx
      .deleteFrom('shares')
      .where((row) => rowIs(row, { projectId, ...share }))
      .returning(['id', 'toProjectId'])
      .executeTakeFirst();
    if (deleted === undefined) return false;
    await recordChange(tx, {
      of: { projectId },
      action: 'share.delete',
      target: encodeId('shr', deleted.id),
      before: { to_project_id: encodeId('prj', deleted.toProjectId) },
    });
    return true;
  });
}
