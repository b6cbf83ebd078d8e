/** Implements the operations of `operations.ts`. */
import type { MemberResetLink } from '../contract/dashboard/organizations.ts';
import type { Database } from '../db/database.ts';
import type { FairReads } from '../db/fair-reads.ts';
import type { Run } from './calls.ts';
import type { UserFactors } from './factors/user-factors.ts';
import { describeSessions } from './describe-session.ts';
import { confirmInvitation, listInvitations, withdrawInvitation } from './invitations.ts';
import { endMemberSessions, listMemberSessions, makeMemberResetLink } from './member-access.ts';
import { changeMember, createOrganizationWithOwner, listMembers, removeMember } from './memberships.ts';
import { renameUser } from './own-user.ts';
import {
  changeProjectSettings,
  createProject,
  describeProjectSettings,
  renameOrganization,
  renameProject,
} from './projects.ts';
import { linkUrl } from './link-url.ts';
import { requireSignIn } from './required-sign-in.ts';
import { listChanges } from './list-changes.ts';
import { endSession, endSessions } from './sessions.ts';
import { describeLink } from './sign-in-links.ts';
import { AppError } from '../model/app-error.ts';
import { decodeId, encodeId, NIL_UUID } from '../model/ids.ts';
import type { Plan } from '../model/plans.ts';
import { isAtLeast } from '../model/roles.ts';
import type { ACCOUNT_OPERATIONS } from './operations.ts';

/** What the operations need of the core. */
export interface AccountParts {
  database: Database;
  dashboardReads: FairReads;
  userFactors: Pick<UserFactors, 'assertMayRequire'>;
  config: { defaultPlan: Plan; keepDays: number | null };
  /** What links begin with. */
  baseUrl: () => string;
}

// Attack: whoever looks for an account to guess at finds those with a password alone.
const HIDDEN = { project_roles: [], has_second_factor: null, last_signed_in_at: null };

export const run: Run<typeof ACCOUNT_OPERATIONS, AccountParts> = {
  createOrganization: ({ database }, { principal, body }) =>
    createOrganizationWithOwner(database, principal.userId, body.name),
  updateOrganization: ({ database }, { principal, body }) =>
    renameOrganization(database, principal.organizationId, body.name),
  createProject: async ({ database, config }, { principal, body: { name, plan } }) => {
    // Attack: whoever runs an organisation makes a project without the limits that the operator has set.
    if (plan !== undefined && !principal.isOperator)
      throw new AppError(
        'missing-role',
        'Only the operators of this installation choose a plan: leave it out.',
        { extensions: { required_role: 'operator' } },
      );
    const id = await createProject(database, principal.organizationId, name, plan ?? config.defaultPlan);
    return { id: encodeId('prj', id), name };
  },
  getProjectSettings: ({ database, config }, { projectId }) =>
    describeProjectSettings(database, projectId, config.keepDays),
  updateProject: async ({ database }, { principal, projectId, body }) => {
    // Attack: whoever runs a project takes away the limits that the operator has set.
    if (body.plan !== undefined && !principal.isOperator)
      throw new AppError('missing-role', 'Only the operators of this installation choose a plan.', {
        extensions: { required_role: 'operator' },
      });
    const { plan, spam_level: defaultSpamLevel, track_opens: trackOpens } = body;
    const { track_clicks: trackClicks, smtp_events: smtpEvents, mail_directory: mailDirectory } = body;
    const { link_names: linkNames } = body;
    const changes = {
      ...(plan !== undefined && { plan }),
      ...(defaultSpamLevel !== undefined && { defaultSpamLevel }),
      ...(trackOpens !== undefined && { trackOpens }),
      ...(trackClicks !== undefined && { trackClicks }),
      ...(smtpEvents !== undefined && { smtpEvents }),
      ...(mailDirectory !== undefined && { mailDirectory }),
      ...(linkNames !== undefined && { linkNames }),
    };
    if (body.name !== undefined) await renameProject(database, projectId, body.name);
    if (Object.keys(changes).length > 0) await changeProjectSettings(database, projectId, changes);
  },
  setRetention: (
    { database },
    { projectId, body: { keep_days: keepDays, keep_bodies_days: keepBodiesDays } },
  ) => changeProjectSettings(database, projectId, { keepDays, keepBodiesDays }),
  listMembers: async ({ database }, { principal: { organizationId, role } }) => {
    const { data } = await listMembers(database, organizationId);
    if (isAtLeast(role, 'admin')) return { data };
    // A project that is hidden from somebody is not named to them either.
    return { data: data.map((member) => ({ ...member, ...HIDDEN })) };
  },
  updateMember: ({ database }, { principal, id, body }) => {
    const { role, sees_bodies: seesBodies, project_roles: given = [] } = body;
    const projectRoles = new Map(
      given.map((each) => [decodeId('prj', each.project_id) ?? NIL_UUID, each.role] as const),
    );
    return changeMember(database, principal.organizationId, id, principal.role, {
      ...(role !== undefined && { role }),
      ...(seesBodies !== undefined && { seesBodies }),
      projectRoles,
    });
  },
  removeMember: ({ database }, { principal, id, query }) =>
    removeMember(database, principal.organizationId, id, principal.role, query.keys),
  listMemberSessions: ({ database }, { principal, id }) => listMemberSessions(database, principal, id),
  endMemberSessions: ({ database }, { principal, id }) => endMemberSessions(database, principal, id, null),
  endMemberSession: ({ database }, { principal, id, partId }) =>
    endMemberSessions(database, principal, id, partId),
  makeMemberResetLink: async ({ database, baseUrl }, { principal, id }): Promise<MemberResetLink | null> => {
    const link = await makeMemberResetLink(database, principal, id);
    if (link === null) return null;
    return { url: linkUrl(baseUrl(), 'reset', link.token), expires_at: link.expiresAt.toISOString() };
  },
  listInvitations: ({ database }, { organizationId }) => listInvitations(database, organizationId),
  confirmInvitation: ({ database }, { organizationId, id }) =>
    confirmInvitation(database, organizationId, id),
  withdrawInvitation: ({ database }, { organizationId, id }) =>
    withdrawInvitation(database, organizationId, id),
  requireSignIn: async ({ database, userFactors }, { principal, look, body: { required } }) => {
    userFactors.assertMayRequire(required);
    // The cached session may be older than its second factor.
    const now = await look({});
    await requireSignIn(database, principal.organizationId, required, now?.user ?? principal);
  },
  listChanges: ({ dashboardReads }, { principal: { organizationId }, query }) =>
    dashboardReads.run(organizationId, (pool) => listChanges(pool, organizationId, query)),
  updateUser: ({ database }, { principal, body }) => renameUser(database, principal.userId, body.name),
  listSessions: ({ database }, { principal }) => describeSessions(database, principal),
  endOtherSessions: ({ database }, { principal }) =>
    endSessions(database, principal.userId, principal.sessionId),
  endSession: ({ database }, { principal, id }) => endSession(database, principal.userId, id),
  findLink: ({ database }, { body }) => describeLink(database, body.token),
};
