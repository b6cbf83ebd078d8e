/** Implements the operations of `operations.ts`. */
import type { MemberResetLink } from '../../contract/dashboard/organizations.ts';
import type { Database } from '../../db/database.ts';
import { decodeId, NIL_UUID } from '../../model/ids.ts';
import { isAtLeast } from '../../model/roles.ts';
import type { Run } from '../calls.ts';
import { linkUrl } from '../link-url.ts';
import { confirmInvitation, listInvitations, withdrawInvitation } from './invitations.ts';
import { endMemberSessions, listMemberSessions, makeMemberResetLink } from './member-access.ts';
import { changeMember, listMembers, removeMember } from './memberships.ts';
import type { MEMBER_OPERATIONS } from './operations.ts';

/** The parts of the core that the operations need. */
export interface MemberParts {
  database: Database;
  /** The base URL of links. */
  baseUrl: () => string;
}

// Callers whose role is below admin get these values instead. Otherwise, an attacker with such a role could look for accounts without a
// second factor, and guess their passwords.
const HIDDEN = { project_roles: [], has_second_factor: null, last_signed_in_at: null };

export const run: Run<typeof MEMBER_OPERATIONS, MemberParts> = {
  listMembers: async ({ database }, { principal: { organizationId, role } }) => {
    const { data } = await listMembers(database, organizationId);
    if (isAtLeast(role, 'admin')) return { data };
    // The project roles must not reveal projects that are hidden from the caller.
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
};
