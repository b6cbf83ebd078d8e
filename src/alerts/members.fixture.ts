/** Members of projects and their alerts, for tests. */
import { sql } from 'kysely';
import { newProject } from '../../test/support/projects.ts';
import { createUser } from '../accounts/users.ts';
import type { CreateAlert } from '../contract/dashboard/alerts.ts';
import type { Database } from '../db/database.ts';
import { newUuid } from '../model/ids.ts';
import type { Role } from '../model/roles.ts';
import type { Subscriber } from './check-subscriptions.ts';

/** All problems, at any hour. */
export const SETTINGS: Omit<CreateAlert, 'url'> = {
  channel: 'slack',
  kinds: [],
  quiet_hours: null,
  time_zone: 'UTC',
  urgent_always: false,
};

/** Creates a user and a project of which the user is a member. */
export async function newMember(
  database: Database,
  role: Role = 'viewer',
): Promise<Subscriber & { projectId: string }> {
  const projectId = await newProject(database);
  const userId = await database.transaction().execute((tx) =>
    createUser(tx, {
      email: `${newUuid()}@acme.example`,
      name: 'Ann',
      passwordHash: null,
      isOperator: false,
    }),
  );
  await sql`
    insert into memberships (organization_id, user_id, role, created_at)
    select organization_id, ${userId}, ${role}, now() from projects where id = ${projectId}`.execute(
    database,
  );
  return { userId, projectId };
}
