/**
 * Runs the dashboard in this process with a real database and users of every role. Every response is validated against the OpenAPI
 * document.
 *
 *     const dashboard = await startDashboard();
 *     const { status, body } = await dashboard.as('developer').get(`/projects/${dashboard.project}/api-keys`);
 */
import { createUser } from '../../../accounts/users.ts';
import { addMember } from '../../../accounts/members/memberships.ts';
import { lockOrganization } from '../../../accounts/organizations/organizations.ts';
import { beginSession } from '../../../accounts/sessions.ts';
import { createProject } from '../../../accounts/projects/projects.ts';
import { encodeId, newUuid, timeOf } from '../../../model/ids.ts';
import { ROLES, type Role } from '../../../model/roles.ts';
import { type RealApi, startRealApi } from '../../../../test/support/api.ts';
import { type BrowserClient, browserClients } from '../browser/browser-client.fixture.ts';

export interface TestUser extends BrowserClient {
  userId: string;
  sessionId: string;
  email: string;
  /** The session token, which is the value of the cookie. */
  token: string;
}

/** `other` is an owner of another organization. `operator` is a viewer and an operator of the installation. */
type UserName = Role | 'other' | 'operator';

export interface TestDashboard extends RealApi {
  /** The public id of `project`, a project of the users' organization. */
  projectId: string;
  /** The public id of a project of the other organization. */
  foreignProjectId: string;
  /** The users' organization. */
  organization: { uuid: string; id: string };
  otherOrganization: { uuid: string; id: string };
  as(who: UserName): TestUser;
  /** A browser without a session. */
  signedOut: BrowserClient;
  /** Signs the user in from another browser. */
  signIn(userId: string, email: string): Promise<TestUser>;
  /** Creates a member of the users' organization and signs the member in. */
  newUser(role: Role, fields?: { seesBodies?: boolean; isOperator?: boolean }): Promise<TestUser>;
}

export async function startDashboard(...options: Parameters<typeof startRealApi>): Promise<TestDashboard> {
  const api = await startRealApi(...options);
  const { database } = api.db;
  const client = browserClients(api.baseUrl, '/dashboard/api');

  async function signIn(userId: string, email: string): Promise<TestUser> {
    const { sessionId, token } = await beginSession(database, userId, {
      address: '192.0.2.1',
      userAgent: 'test',
    });
    return { userId, sessionId, email, token, ...client('', { cookie: `posthorn_session=${token}`, token }) };
  }

  async function newMember(
    organizationId: string,
    role: Role,
    { seesBodies = false, isOperator = false } = {},
  ): Promise<TestUser> {
    const email = `${role}-${newUuid()}@acme.example`;
    const userId = await database.transaction().execute(async (tx) => {
      await lockOrganization(tx, organizationId);
      const id = await createUser(tx, { email, name: role, passwordHash: null, isOperator });
      await addMember(tx, organizationId, id, { role, seesBodies });
      return id;
    });
    return signIn(userId, email);
  }

  const { organizationId } = await database
    .selectFrom('projects')
    .select('organizationId')
    .where('id', '=', api.project.id)
    .executeTakeFirstOrThrow();
  const otherId = newUuid();
  await database
    .insertInto('organizations')
    .values({ id: otherId, name: 'other', createdAt: timeOf(otherId) })
    .execute();
  const foreign = await createProject(database, otherId, 'foreign', 'paid');
  const users = new Map<UserName, TestUser>();
  for (const role of ROLES) users.set(role, await newMember(organizationId, role));
  users.set('other', await newMember(otherId, 'owner'));
  users.set('operator', await newMember(organizationId, 'viewer', { isOperator: true }));
  return {
    ...api,
    projectId: encodeId('prj', api.project.id),
    foreignProjectId: encodeId('prj', foreign),
    organization: { uuid: organizationId, id: encodeId('org', organizationId) },
    otherOrganization: { uuid: otherId, id: encodeId('org', otherId) },
    as: (who) => users.get(who) as TestUser,
    signedOut: client('', null),
    signIn,
    newUser: (role, fields) => newMember(organizationId, role, fields),
  };
}
