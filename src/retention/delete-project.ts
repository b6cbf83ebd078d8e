/** Deletes projects and organizations: their resources at once, and the rows of their emails in the background. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { KEY_TTL_MS } from '../accounts/keys/api-keys.ts';
import { recordChange } from '../accounts/audit.ts';
import { deleteStrandedUsers } from '../accounts/members/memberships.ts';
import { lockProjectToDelete, noteDeletedProject } from '../accounts/projects/projects.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { AppError, validationError } from '../model/app-error.ts';
import * as clock from '../model/clock.ts';
import { encodeId } from '../model/ids.ts';
import { among } from './deleting.ts';

/**
 * Tables with few rows per project, in an order in which foreign keys allow their deletion. Deleting a mailbox also deletes its aliases.
 */
const OWN_TABLES = ['apiKeys', 'people', 'routes', 'mailboxes', 'webhooks', 'templates', 'domains'] as const;

/**
 * Deletes a project. Once the promise resolves, no server accepts the project's keys any more, its mailboxes and domains are deleted, and
 * no further delivery attempt will begin. If the promise rejects, the caller can try again. The remaining rows are deleted in the
 * background (`removals.ts`), even if the process is killed.
 * @param name the project's name as the user typed it, so that no project is deleted by mistake
 * @throws AppError not-found if the project was deleted a moment ago; validation-failed if the name differs
 */
export async function deleteProject(database: Database, projectId: string, name: string): Promise<void> {
  await assertName(database, 'projects', projectId, name);
  await revokeKeys(database, [projectId]);
  await database.transaction().execute((tx) => deleteRows(tx, projectId));
}

/**
 * Deletes an organization with all its projects at once, and its members who belong to no other organization.
 * @returns the names of the projects
 * @throws AppError like `deleteProject`
 */
export async function deleteOrganization(
  database: Database,
  organizationId: string,
  name: string,
): Promise<string[]> {
  await assertName(database, 'organizations', organizationId, name);
  const projectsOf = (tx: Database | DatabaseTransaction) =>
    tx
      .selectFrom('projects')
      .select(['id', 'name'])
      .where('organizationId', '=', organizationId)
      .orderBy('id')
      .execute();
  await revokeKeys(
    database,
    (await projectsOf(database)).map(({ id }) => id),
  );
  return database.transaction().execute(async (tx) => {
    // A concurrent request to create a project waits for this lock, and then fails because the organization no longer exists.
    await tx
      .selectFrom('organizations')
      .select('id')
      .where('id', '=', organizationId)
      .forUpdate()
      .executeTakeFirstOrThrow(() => new AppError('not-found', 'The organization has just been deleted.'));
    const projects = await projectsOf(tx);
    for (const { id } of projects) await deleteRows(tx, id);
    const members = await tx
      .deleteFrom('memberships')
      .where('organizationId', '=', organizationId)
      .returning('userId')
      .execute();
    await deleteStrandedUsers(
      tx,
      members.map(({ userId }) => userId),
    );
    await tx.deleteFrom('organizations').where('id', '=', organizationId).execute();
    // Record this in the log of the installation, because the organization's own log is deleted too.
    await recordChange(tx, {
      of: 'installation',
      action: 'organization.delete',
      target: encodeId('org', organizationId),
      before: { name, projects: projects.length },
    });
    return projects.map(({ name }) => name);
  });
}

async function assertName(
  database: Database,
  table: 'projects' | 'organizations',
  id: string,
  name: string,
): Promise<void> {
  const found = await database.selectFrom(table).select('name').where('id', '=', id).executeTakeFirst();
  if (found === undefined) throw new AppError('not-found', 'It was just deleted. Reload the page.');
  if (found.name !== name) throw validationError({ name: `must match the name: ${found.name}` });
}

/** Revokes the API keys of projects. Resolves once every server rejects these keys. */
async function revokeKeys(database: Database, projectIds: readonly string[]): Promise<void> {
  await database
    .updateTable('apiKeys')
    .set({ revokedAt: clock.now() })
    .where('projectId', '=', among(projectIds))
    .where('revokedAt', 'is', null)
    .execute();
  await sleep(KEY_TTL_MS);
}

async function deleteRows(tx: DatabaseTransaction, projectId: string): Promise<void> {
  await lockProjectToDelete(tx, projectId);
  // Once this row is committed, no delivery attempt will begin, even if recipients are still queued.
  await tx.insertInto('removals').values({ projectId, id: projectId, kind: 'project' }).execute();
  // The delivery logs of the project's webhooks are deleted in the background.
  await sql`
    insert into removals (project_id, id, kind) select project_id, id, 'webhook' from webhooks
    where project_id = ${projectId}`.execute(tx);
  await tx
    .deleteFrom('shares')
    .where((row) => row.or([row('projectId', '=', projectId), row('toProjectId', '=', projectId)]))
    .execute();
  for (const table of OWN_TABLES) await tx.deleteFrom(table).where('projectId', '=', projectId).execute();
  await noteDeletedProject(tx, projectId);
  await tx.deleteFrom('projects').where('id', '=', projectId).execute();
}
