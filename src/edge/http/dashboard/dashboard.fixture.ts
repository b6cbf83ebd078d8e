/**
 * The dashboard in this process, over a real database: users of every role, and what they get to see. Every answer is held against the
 * document.
 *
 *     const dashboard = await startDashboard();
 *     const { status, body } = await dashboard.as('developer').get(`/projects/${dashboard.project}/api-keys`);
 */
import { createUser } from '../../../accounts/users.ts';
import { addMember, lockOrganization } from '../../../accounts/memberships.ts';
import { beginSession } from '../../../accounts/sessions.ts';
import { createProject } from '../../../accounts/projects.ts';
import { encodeId, newUuid, timeOf } from '../../../model/ids.ts';
import { ROLES, type Role } from '../../../model/roles.ts';
import { type RealApi, startRealApi } from '../../../../test/support/api.ts';
import { type Contract, contractOf } from '../../../../test/support/openapi.ts';
import { csrfTokenOf } from '../browser/csrf.ts';

type Json = Record<string, unknown>;

interface DashboardResponse<Body> {
  status: number;
  headers: Headers;
  text: string;
  body: Body;
}

interface RequestOptions {
  headers?: Record<string, string>;
  body?: unknown;
}

/** Paths are those below `/dashboard/api`. */
export interface DashboardClient {
  get<Body = Json>(path: string, options?: RequestOptions): Promise<DashboardResponse<Body>>;
  post<Body = Json>(path: string, body?: unknown, options?: RequestOptions): Promise<DashboardResponse<Body>>;
  patch<Body = Json>(
    path: string,
    body?: unknown,
    options?: RequestOptions,
  ): Promise<DashboardResponse<Body>>;
  delete<Body = Json>(path: string, options?: RequestOptions): Promise<DashboardResponse<Body>>;
  request<Body = Json>(
    method: string,
    path: string,
    options?: RequestOptions,
  ): Promise<DashboardResponse<Body>>;
}

/** Somebody who is signed in. */
export interface TestUser extends DashboardClient {
  /** uuids */
  userId: string;
  sessionId: string;
  email: string;
  /** In the cookie. */
  token: string;
}

/** `other`: the owner of another organisation. `operator`: of the installation, and a viewer. `nobody`: not signed in. */
type Who = Role | 'other' | 'operator';

export interface TestDashboard extends RealApi {
  /** The outside form of `project.id`: a project of the users' organisation. */
  projectId: string;
  /** The same of a project of the other organisation. */
  foreignProjectId: string;
  /** uuid of the users' organisation, and its outside form */
  organization: { uuid: string; id: string };
  otherOrganization: { uuid: string; id: string };
  as(who: Who): TestUser;
  /** Not signed in. */
  nobody: DashboardClient;
  /** Signs a user in once more, as another browser. */
  signIn(userId: string, email: string): Promise<TestUser>;
  /** Makes a member of the organisation of the others, signed in. */
  newUser(role: Role, fields?: { seesBodies?: boolean; isOperator?: boolean }): Promise<TestUser>;
}

export async function startDashboard(...options: Parameters<typeof startRealApi>): Promise<TestDashboard> {
  const api = await startRealApi(...options);
  const { database } = api.db;
  const client = clientOf(api.baseUrl);

  async function signIn(userId: string, email: string): Promise<TestUser> {
    const { sessionId, token } = await beginSession(database, userId, {
      address: '192.0.2.1',
      userAgent: 'test',
    });
    return { userId, sessionId, email, token, ...client(token) };
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
  const users = new Map<Who, TestUser>();
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
    nobody: client(null),
    signIn,
    newUser: (role, fields) => newMember(organizationId, role, fields),
  };
}

function clientOf(baseUrl: string) {
  let contract: Promise<Contract> | undefined;
  return (token: string | null): DashboardClient => {
    async function request<Body>(
      method: string,
      path: string,
      { headers = {}, body }: RequestOptions = {},
    ): Promise<DashboardResponse<Body>> {
      const whole = `/dashboard/api${path}`;
      const response = await fetch(baseUrl + whole, {
        method,
        headers: {
          ...(token !== null && { cookie: `posthorn_session=${token}`, 'x-csrf-token': csrfTokenOf(token) }),
          ...(method !== 'GET' && { origin: baseUrl }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? null : JSON.stringify(body),
        redirect: 'manual',
      });
      const text = await response.text();
      const isJson = /^application\/(?:problem\+)?json\b/.test(response.headers.get('content-type') ?? '');
      const { status } = response;
      const received = {
        status,
        headers: response.headers,
        text,
        body: isJson ? (JSON.parse(text) as Body) : null,
      };
      contract ??= fetch(`${baseUrl}/dashboard/api/openapi.json`).then(async (found) =>
        contractOf(await found.text()),
      );
      (await contract).check(
        method,
        whole,
        isJson ? received : { ...received, body: text === '' ? null : text },
      );
      // A test that looks into a body which is not there fails on it.
      return received as DashboardResponse<Body>;
    }
    return {
      request,
      get: (path, options) => request('GET', path, options),
      post: (path, body, options) => request('POST', path, { body, ...options }),
      patch: (path, body, options) => request('PATCH', path, { body, ...options }),
      delete: (path, options) => request('DELETE', path, options),
    };
  };
}
