/** Finds the user of a session token, and the user's role in a project or an organization. */
import { sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { rowIs } from '../db/row-is.ts';
import { rowsOf } from '../db/rows.ts';
import { NIL_UUID } from '../model/ids.ts';
import type { MaybePromise } from '../model/maybe-promise.ts';
import { type ProjectRole, type Role, roleInProject } from '../model/roles.ts';
import { meets, type SignInRequirement } from '../model/sign-in-requirements.ts';
import type { SignedInUser } from './principal.ts';
import { OPERATORS_SETTING } from './required-sign-in.ts';
import { SessionLookUps } from './session-look-ups.ts';
import { isSessionToken, IS_SESSION_ACTIVE, sessionDigest } from './sessions.ts';

/** The project or organization that a request is about. */
export interface RequestScope {
  /** uuid */
  projectId?: string;
  /** uuid */
  organizationId?: string;
}

/** A user's rights in a project or organization. */
export interface ScopeRights {
  organizationId: string;
  role: Role;
  seesBodies: boolean;
  /** The organization's sign-in requirement, if the session does not meet the requirement; otherwise null. */
  missing: SignInRequirement | null;
}

export interface SessionMatch {
  user: SignedInUser;
  /** Null if the scope does not exist, if the user has no role in the scope, or if the request has no scope. */
  rights: ScopeRights | null;
}

interface SessionQuery {
  token: string;
  scope: RequestScope;
}

export class SignedIn {
  readonly #lookUps: SessionLookUps<SessionQuery, SessionMatch>;

  constructor(database: Database) {
    this.#lookUps = new SessionLookUps((queries) => find(database, queries));
  }

  /**
   * Finds a session. Returns a promise only when the database has to be queried.
   * @returns null for a session that does not exist, has ended or was idle for too long
   * @throws AppError unavailable
   */
  find(token: string, scope: RequestScope): MaybePromise<SessionMatch | null> {
    if (!isSessionToken(token)) return null;
    return this.#lookUps.find(`${token} ${scope.projectId ?? ''} ${scope.organizationId ?? ''}`, {
      token,
      scope,
    });
  }

  /** Like `find`, but bypasses the cache. */
  lookUp(token: string, scope: RequestScope): Promise<SessionMatch | null> {
    return this.#lookUps.lookUp({ token, scope });
  }
}

const SESSION_QUERIES = rowsOf<SessionQuery & { at: number }>('a', {
  at: ['int4', ({ at }) => at],
  digest: ['bytea', ({ token }) => sessionDigest(token)],
  project_id: ['uuid', ({ scope }) => scope.projectId ?? NIL_UUID],
  organization_id: ['uuid', ({ scope }) => scope.organizationId ?? NIL_UUID],
});

const SESSION = columnsOf({
  at: 'int4',
  userId: 'uuid',
  sessionId: 'uuid',
  confirmedAt: 'timestamptz',
  isNoted: 'bool',
  email: 'text',
  name: 'text',
  isOperator: 'bool',
  organizationId: 'uuid?',
  role: shaped<Role | null>('text?'),
  seesBodies: 'bool?',
  inProject: shaped<ProjectRole | null>('text?'),
  withSecondFactor: 'bool',
  withOpenid: 'bool',
  hasSecondFactor: 'bool',
  requires: shaped<SignInRequirement | null>('text?'),
  /** The requirements of all organizations of the user. */
  allRequire: shaped<(SignInRequirement | null)[]>('text?[]'),
  operatorsRequire: shaped<SignInRequirement | null>('text?'),
});
type SessionRow = RowOf<typeof SESSION>;

async function find(database: Database, queries: readonly SessionQuery[]): Promise<(SessionMatch | null)[]> {
  const { rows } = await SESSION.sql`
    select a.at, sessions.user_id, sessions.id as session_id, sessions.confirmed_at,
      sessions.used_at > now() - interval '1 minute' as is_noted,
      u.email, u.name, u.is_operator, m.organization_id, m.role, m.sees_bodies, r.role as in_project,
      sessions.with_second_factor, sessions.with_openid,
      exists (select from user_totp t where t.user_id = u.id)
        or exists (select from user_passkeys k where k.user_id = u.id) as has_second_factor,
      o.required_sign_in as requires,
      array(select n.required_sign_in from memberships b join organizations n on n.id = b.organization_id
            where b.user_id = u.id) as all_require,
      (select s.value from settings s where s.name = ${OPERATORS_SETTING} and u.is_operator) as operators_require
    from ${SESSION_QUERIES.from(queries.map((each, at) => ({ ...each, at })))}
    join sessions on sessions.token_sha256 = a.digest and ${IS_SESSION_ACTIVE}
    join users u on u.id = sessions.user_id
    left join projects p on p.id = a.project_id
    left join memberships m on m.user_id = u.id and m.organization_id = coalesce(p.organization_id, a.organization_id)
    left join organizations o on o.id = m.organization_id
    left join project_roles r on r.organization_id = m.organization_id and r.user_id = m.user_id and r.project_id = p.id`.execute(
    database,
  );
  await noteUse(database, rows);
  const found = new Map(rows.map((row) => [row.at, toMatch(row)]));
  return queries.map((_, at) => found.get(at) ?? null);
}

/** Records the last use of sessions, at most once a minute for each session across all processes. */
async function noteUse(database: Database, rows: readonly SessionRow[]): Promise<void> {
  const used = rows.filter(({ isNoted }) => !isNoted);
  if (used.length === 0) return;
  await database
    .updateTable('sessions')
    .set({ usedAt: sql`now()` })
    .where((row) => row.or(used.map(({ userId, sessionId }) => rowIs(row, { userId, id: sessionId }))))
    .where('usedAt', '<', sql<Date>`now() - interval '1 minute'`)
    .execute();
}

function toMatch(row: SessionRow): SessionMatch {
  const { organizationId, role, seesBodies, inProject, requires, operatorsRequire } = row;
  const here = role === null ? null : roleInProject(role, inProject);
  // A second factor that was removed after the sign-in proves nothing.
  const proof = {
    withSecondFactor: row.withSecondFactor && row.hasSecondFactor,
    withOpenid: row.withOpenid,
  };
  const missingOf = (required: SignInRequirement | null) => (meets(proof, required) ? null : required);
  const operatorMissing = missingOf(operatorsRequire);
  const required = [...row.allRequire, ...(row.isOperator ? [operatorsRequire] : [])];
  return {
    user: {
      kind: 'user',
      userId: row.userId,
      sessionId: row.sessionId,
      email: row.email,
      name: row.name,
      confirmedAt: row.confirmedAt,
      proof,
      hasSecondFactor: row.hasSecondFactor,
      isOperator: row.isOperator && operatorMissing === null,
      operatorMissing,
      lacksSecondFactor: required.some((each) => each !== null) && !meets(proof, 'second-factor'),
      missingEverywhere: missingEverywhere(required, missingOf),
    },
    rights:
      organizationId === null || here === null
        ? null
        : {
            organizationId,
            role: here,
            missing: missingOf(requires),
            seesBodies: here !== 'viewer' || seesBodies === true,
          },
  };
}

/**
 * The requirement that blocks the session everywhere. Null if the session meets one of the requirements, or if one of the organizations
 * requires nothing.
 */
function missingEverywhere(
  required: readonly (SignInRequirement | null)[],
  lacking: (required: SignInRequirement | null) => SignInRequirement | null,
): SignInRequirement | null {
  const lacks = required.map(lacking);
  return lacks.includes(null) ? null : (lacks.find((each) => each === 'openid') ?? lacks[0] ?? null);
}
