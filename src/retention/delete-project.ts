/** Deletes projects and organisations: what they are at once, and the rows of their emails in the background. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { KEY_TTL_MS } from '../accounts/api-keys.ts';
import { deleteStrandedUsers, lockOrganization } from '../accounts/memberships.ts';
import { lockProjectToDelete, noteDeletedProject } from '../accounts/projects.ts';
import type { Database } from '../db/database.ts';
import * as clock from '../model/clock.ts';
import { endingWork } from './removals.ts';

/** Tables of a project with few rows. Their order is that of their references. Aliases go with their mailboxes. */
const OWN_TABLES = ['apiKeys', 'people', 'mailboxes', 'webhooks', 'templates', 'domains'] as const;

/**
 * When it resolves, no server knows a key of the project, and nothing goes out any more. What it breaks off can be repeated
 * until the project is gone; from then on it goes on by itself (`removals.ts`).
 */
export async function deleteProject(database: Database, projectId: string): Promise<void> {
  await database
    .updateTable('apiKeys')
    .set({ revokedAt: clock.now() })
    .where('projectId', '=', projectId)
    .where('revokedAt', 'is', null)
    .execute();
  await sleep(KEY_TTL_MS);
  await database.transaction().execute(async (tx) => {
    await lockProjectToDelete(tx, projectId);
    await tx.insertInto('removals').values({ projectId, id: projectId, kind: 'project' }).execute();
    // Their logs.
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
  });
  for await (const _ of endingWork(database, projectId)) continue;
}

/** Deletes an organisation with all its projects, and those of its people who belong to no other. @param onProject called before each */
export async function deleteOrganization(
  database: Database,
  organizationId: string,
  onProject: (name: string) => void,
): Promise<void> {
  const projects = await database
    .selectFrom('projects')
    .select(['id', 'name'])
    .where('organizationId', '=', organizationId)
    .orderBy('id')
    .execute();
  for (const { id, name } of projects) {
    onProject(name);
    await deleteProject(database, id);
  }
  await database.transaction().execute(async (tx) => {
    await lockOrganization(tx, organizationId);
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
  });
}
