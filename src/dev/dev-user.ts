/** The project and the user of `posthorn dev`. */
import { addMember } from '../accounts/members/memberships.ts';
import { ensureOrganization } from '../accounts/organizations/organizations.ts';
import { createUser, findUserByKey } from '../accounts/users.ts';
import type { Database } from '../db/database.ts';

/** The user as whom the dashboard opens. It has no password, so it cannot sign in in any other way. */
const DEV_USER = 'dev@posthorn.localhost';

/** @returns the uuid of the oldest project, which gets the mail that is caught by SMTP */
export async function devProject(database: Database): Promise<string> {
  const { id } = await database
    .selectFrom('projects')
    .select('id')
    .orderBy('id')
    .limit(1)
    .executeTakeFirstOrThrow();
  return id;
}

/** Creates the user, who is an operator and owns the organization, unless it exists. @returns its uuid */
export async function ensureDevUser(database: Database): Promise<string> {
  return database.transaction().execute(async (tx) => {
    const organizationId = await ensureOrganization(tx);
    const found = await findUserByKey(tx, DEV_USER);
    if (found !== null) return found.id;
    const id = await createUser(tx, {
      name: 'Developer',
      email: DEV_USER,
      passwordHash: null,
      isOperator: true,
    });
    await addMember(tx, organizationId, id, { role: 'owner', seesBodies: true });
    return id;
  });
}
