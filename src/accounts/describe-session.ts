/** The organizations, projects and sessions of a signed-in user. */
import type { Session } from '../contract/dashboard/session.ts';
import type { SessionList } from '../contract/dashboard/users.ts';
import type { Database } from '../db/database.ts';
import { encodeId } from '../model/ids.ts';
import { roleInProject } from '../model/roles.ts';
import { meets, type SignInProof } from '../model/sign-in-requirements.ts';
import { CONFIRMED_MS } from './limits.ts';
import type { SignedInUser } from './principal.ts';
import { listSessions } from './sessions.ts';

/** The user's organizations, and the projects of these organizations that are not hidden from the user, oldest first. */
export async function describeSession(
  database: Database,
  user: SignedInUser,
  csrfToken: string,
): Promise<Omit<Session, 'service'>> {
  const { userId, sessionId, email, name, isOperator, operatorMissing, confirmedAt, proof } = user;
  const organizations = await openOrganizations(database, userId, proof);
  const shut = new Set(organizations.filter(({ lacks }) => lacks !== null).map(({ id }) => id));
  return {
    user: {
      id: encodeId('usr', userId),
      email,
      name,
      is_operator: isOperator,
      operator_lacks: operatorMissing,
    },
    session_id: encodeId('ses', sessionId),
    csrf_token: csrfToken,
    confirmed_until: new Date(confirmedAt.getTime() + CONFIRMED_MS).toISOString(),
    organizations,
    // If the session does not meet an organization's sign-in requirement, the user sees only the name of the organization.
    projects: (await openProjects(database, userId)).filter((project) => !shut.has(project.organization_id)),
  };
}

/** The user's sessions. */
export async function describeSessions(
  database: Database,
  { userId, sessionId }: Pick<SignedInUser, 'userId' | 'sessionId'>,
): Promise<SessionList> {
  const sessions = await listSessions(database, userId);
  return {
    data: sessions.map(({ id, address, userAgent, createdAt, usedAt }) => ({
      id: encodeId('ses', id),
      is_current: id === sessionId,
      address,
      user_agent: userAgent,
      created_at: createdAt.toISOString(),
      last_used_at: usedAt.toISOString(),
    })),
  };
}

async function openOrganizations(
  database: Database,
  userId: string,
  proof: SignInProof,
): Promise<Session['organizations']> {
  const rows = await database
    .selectFrom('memberships as m')
    .innerJoin('organizations as o', 'o.id', 'm.organizationId')
    .select(['o.id', 'o.name', 'm.role', 'o.requiredSignIn'])
    .where('m.userId', '=', userId)
    .orderBy('o.id')
    .execute();
  return rows.map(({ id, name, role, requiredSignIn }) => ({
    id: encodeId('org', id),
    name,
    role,
    required_sign_in: requiredSignIn,
    lacks: meets(proof, requiredSignIn) ? null : requiredSignIn,
  }));
}

async function openProjects(database: Database, userId: string): Promise<Session['projects']> {
  const rows = await database
    .selectFrom('memberships as m')
    .innerJoin('projects as p', 'p.organizationId', 'm.organizationId')
    .leftJoin('projectRoles as r', (join) =>
      join
        .onRef('r.organizationId', '=', 'm.organizationId')
        .onRef('r.userId', '=', 'm.userId')
        .onRef('r.projectId', '=', 'p.id'),
    )
    .select(['p.id', 'p.organizationId', 'p.name', 'p.plan', 'p.createdAt'])
    .select(['m.role', 'm.seesBodies', 'r.role as inProject'])
    .select((eb) => {
      const has = (table: 'mailboxes' | 'aliases') =>
        eb.exists(eb.selectFrom(table).select('id').whereRef('projectId', '=', 'p.id').limit(1));
      return eb.or([has('mailboxes'), has('aliases')]).as('usesMailboxes');
    })
    .where('m.userId', '=', userId)
    .orderBy('p.id')
    .execute();
  return rows.flatMap(({ id, organizationId, name, plan, createdAt, usesMailboxes, ...membership }) => {
    const role = roleInProject(membership.role, membership.inProject);
    if (role === null) return [];
    const project = { id: encodeId('prj', id), organization_id: encodeId('org', organizationId), name, plan };
    const seesBodies = role !== 'viewer' || membership.seesBodies;
    const facts = { uses_mailboxes: Boolean(usesMailboxes), created_at: createdAt.toISOString() };
    return [{ ...project, role, sees_bodies: seesBodies, ...facts }];
  });
}
