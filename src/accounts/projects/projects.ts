/** Creates, renames, finds, locks and deletes projects. */
import {
  type Database,
  type DatabaseTransaction,
  inTransaction,
  isUniqueViolation,
} from '../../db/database.ts';
import { AppError } from '../../model/app-error.ts';
import * as clock from '../../model/clock.ts';
import { encodeId, newUuid, timeOf } from '../../model/ids.ts';
import type { Plan } from '../../model/plans.ts';
import { recordChange, recordDifferences } from '../audit.ts';
import { checkName } from '../organizations/organizations.ts';

/** @throws AppError already-exists, validation-failed */
export async function createProject(
  database: Database | DatabaseTransaction,
  organizationId: string,
  name: string,
  plan: Plan,
): Promise<string> {
  checkName(name);
  return inTransaction(database, async (tx) => {
    const id = newUuid();
    const inserted = await tx
      .insertInto('projects')
      .values({ id, organizationId, name, plan, createdAt: timeOf(id) })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .returning('id')
      .executeTakeFirst();
    if (inserted === undefined) throw nameInUse(name);
    await recordChange(tx, {
      of: { projectId: id },
      action: 'project.create',
      target: encodeId('prj', id),
      targetName: name,
      after: { name, plan },
    });
    return id;
  });
}

/** @throws AppError validation-failed, already-exists */
export async function renameProject(database: Database, projectId: string, name: string): Promise<void> {
  checkName(name);
  await database.transaction().execute(async (tx) => {
    const before = await tx
      .selectFrom('projects')
      .select('name')
      .where('id', '=', projectId)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow(projectMissing);
    // If this is the project that the first start created, records that it existed, so that the next start does not create it again.
    await noteFirstProject(tx, projectId);
    await tx
      .updateTable('projects')
      .set({ name })
      .where('id', '=', projectId)
      .execute()
      .catch((error: unknown) => {
        throw isUniqueViolation(error) ? nameInUse(name) : error;
      });
    const what = { action: 'project.rename', target: encodeId('prj', projectId), targetName: name } as const;
    await recordDifferences(tx, { of: { projectId }, ...what }, before, { name });
  });
}

function nameInUse(name: string): AppError {
  return new AppError('already-exists', `A project named ${name} already exists. Choose another name.`, {
    errors: { name: 'is taken by another project' },
  });
}

/** The project that the first start creates. */
export const FIRST_PROJECT = 'default';
const DELETED_FIRST = 'first_project_deleted';

/**
 * Whether this is the first start, which creates `FIRST_PROJECT`. Once the first project has been deleted or renamed, it is not created
 * again. Must be called in the transaction of `ensureOrganization`.
 */
export async function isFirstStart(tx: DatabaseTransaction): Promise<boolean> {
  if ((await findProject(tx, FIRST_PROJECT)) !== null) return false;
  const deleted = await tx
    .selectFrom('settings')
    .select('name')
    .where('name', '=', DELETED_FIRST)
    .executeTakeFirst();
  return deleted === undefined;
}

/** Records the deletion of a project. Must be called before the project's row is deleted, in the same transaction. */
export async function noteDeletedProject(tx: DatabaseTransaction, projectId: string): Promise<void> {
  const { name } = await tx
    .selectFrom('projects')
    .select('name')
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
  await recordChange(tx, {
    of: { projectId },
    action: 'project.delete',
    target: encodeId('prj', projectId),
    targetName: name,
    before: { name },
  });
  await noteFirstProject(tx, projectId);
}

/** If the project is the first project, records that it is renamed or deleted. Must be called before the change. */
async function noteFirstProject(tx: DatabaseTransaction, projectId: string): Promise<void> {
  const first = await findProject(tx, FIRST_PROJECT);
  if (first !== projectId) return;
  await tx
    .insertInto('settings')
    .values({ name: DELETED_FIRST, value: clock.now().toISOString() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Finds a project by name. @returns the id; null if there is no such project */
export async function findProject(
  database: Database | DatabaseTransaction,
  name: string,
): Promise<string | null> {
  const row = await database.selectFrom('projects').select('id').where('name', '=', name).executeTakeFirst();
  return row?.id ?? null;
}

/** @throws AppError not-found */
export async function findProjectByName(database: Database, name: string): Promise<string> {
  const id = await findProject(database, name);
  if (id === null)
    throw new AppError(
      'not-found',
      `There is no project named ${name}. Run posthorn project list to see all projects.`,
    );
  return id;
}

/** The plan of a project, read without a lock. The plan may change at any moment. */
export async function findPlan(database: Database, projectId: string): Promise<Plan> {
  return (await planOf(database, projectId).executeTakeFirstOrThrow()).plan;
}

/**
 * Locks the project, so that only one transaction at a time adds resources to the project, and counts of its resources stay correct until
 * the transaction ends.
 * @returns the plan of the project
 * @throws AppError not-found if the project was deleted a moment ago
 */
export async function lockProject(tx: DatabaseTransaction, projectId: string): Promise<Plan> {
  return (await planOf(tx, projectId).forNoKeyUpdate().executeTakeFirstOrThrow(projectMissing)).plan;
}

/**
 * Locks a project for deletion. Waits until all inserts of rows that refer to the project have ended. Later inserts wait until the project
 * is deleted.
 * @throws AppError not-found
 */
export async function lockProjectToDelete(tx: DatabaseTransaction, projectId: string): Promise<void> {
  await planOf(tx, projectId).forUpdate().executeTakeFirstOrThrow(projectMissing);
}

/** The error for a project that existed a moment ago. */
export function projectMissing(): AppError {
  return new AppError('not-found', 'The project has just been deleted.');
}

function planOf(database: Database | DatabaseTransaction, projectId: string) {
  return database.selectFrom('projects').select('plan').where('id', '=', projectId);
}
