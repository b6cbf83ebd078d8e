/** Operations on the members of an organization and on invitations. `run.ts` implements them. */
import {
  InvitationList,
  Member,
  MemberList,
  MemberResetLink,
  RemoveMember,
  UpdateMember,
} from '../../contract/dashboard/organizations.ts';
import { SessionList } from '../../contract/dashboard/users.ts';
import { declare, tableOf } from '../../contract/operation.ts';

export const MEMBER_OPERATIONS = {
  listMembers: declare({
    summary: 'List the members of an organization',
    description: 'Roles in single projects and details of signing in are only for owners and admins.',
    success: { status: 200, description: 'The members.', body: MemberList },
    doors: {
      dashboard: { route: 'GET /organizations/{organization}/users', role: 'viewer' },
    },
  }),
  updateMember: declare({
    summary: 'Update a member',
    description: 'Only owners can change owners, and an organization keeps at least one.',
    body: UpdateMember,
    success: { status: 200, description: 'The member.', body: Member },
    doors: {
      dashboard: {
        route: 'PATCH /organizations/{organization}/users/{id}',
        role: 'admin',
        needsConfirmation: true,
        resource: { name: 'user in this organization', prefix: 'usr' },
      },
    },
  }),
  removeMember: declare({
    summary: 'Remove a member',
    description:
      'A user who belongs to no other organization is deleted. Only owners can remove owners, and the last owner cannot be removed. API keys that the member created keep working unless they are revoked too.',
    query: RemoveMember,
    success: { status: 204, description: 'The member loses access within two seconds.' },
    doors: {
      dashboard: {
        route: 'DELETE /organizations/{organization}/users/{id}',
        role: 'admin',
        needsConfirmation: true,
        resource: { name: 'user in this organization', prefix: 'usr' },
      },
    },
  }),
  listMemberSessions: declare({
    summary: 'List the sessions of a member',
    description: 'Only owners can see the sessions of owners.',
    success: { status: 200, description: 'The sessions.', body: SessionList },
    doors: {
      dashboard: {
        route: 'GET /organizations/{organization}/users/{id}/sessions',
        role: 'admin',
        resource: { name: 'user in this organization', prefix: 'usr' },
      },
    },
  }),
  endMemberSessions: declare({
    summary: 'Sign a member out everywhere',
    success: {
      status: 204,
      description: "All sessions of the member end within two seconds, except the caller's own.",
    },
    doors: {
      dashboard: {
        route: 'DELETE /organizations/{organization}/users/{id}/sessions',
        role: 'admin',
        needsConfirmation: true,
        resource: { name: 'user in this organization', prefix: 'usr' },
      },
    },
  }),
  endMemberSession: declare({
    summary: 'Sign a member out of one browser',
    success: { status: 204, description: 'The session ends within two seconds.' },
    doors: {
      dashboard: {
        route: 'DELETE /organizations/{organization}/users/{id}/sessions/{part}',
        role: 'admin',
        needsConfirmation: true,
        resource: { name: 'user in this organization', prefix: 'usr' },
        part: { name: 'session', prefix: 'ses' },
      },
    },
  }),
  makeMemberResetLink: declare({
    summary: 'Create a password reset link for a member',
    description:
      'The link works once, within 24 hours, and replaces the previous link. A second factor is still required. For a user who also belongs to another organization or is an operator, only an operator can create one.',
    success: { status: 201, description: 'The link, to pass on to the member.', body: MemberResetLink },
    doors: {
      dashboard: {
        route: 'POST /organizations/{organization}/users/{id}/reset-link',
        role: 'owner',
        needsConfirmation: true,
        resource: { name: 'user in this organization', prefix: 'usr' },
      },
    },
  }),
  listInvitations: declare({
    summary: 'List open invitations',
    success: { status: 200, description: 'The invitations, without their links.', body: InvitationList },
    doors: {
      dashboard: { route: 'GET /organizations/{organization}/invitations', role: 'admin' },
      cli: {
        command: 'user invitations list',
        description: 'list the invitations to an organization, without their links',
        example: '',
        table: tableOf<InvitationList['data'][number]>({
          columns: [
            { title: 'ID', cell: 'id' },
            { title: 'AGE', cell: 'created_at' },
            { title: 'ROLE', cell: 'role' },
            { title: 'CONFIRMED', cell: (each) => (each.awaits_confirmation ? 'no' : 'yes') },
            { title: 'EMAIL', cell: 'email', isCut: true },
          ],
          none: 'There are no open invitations.',
        }),
      },
    },
  }),
  confirmInvitation: declare({
    summary: 'Confirm an invitation',
    description:
      'For an invitation to a mailbox on this server that other people can read. Operators can use `user invitations confirm`.',
    success: { status: 204, description: 'The link of the invitation now works.' },
    doors: {
      dashboard: {
        route: 'POST /organizations/{organization}/invitations/{id}/confirmation',
        role: 'owner',
        needsConfirmation: true,
        resource: { name: 'invitation that awaits confirmation', prefix: 'inv' },
      },
      cli: {
        command: 'user invitations confirm',
        description:
          'confirm an invitation to a mailbox on this server that other people can read; its link works after that',
        example: '--id inv_...',
        options: { id: 'the id of the invitation: inv_...' },
        trueMember: 'confirmed',
        message: 'confirmed {id}',
        notFoundMessage:
          'No such invitation awaits confirmation. It may have been confirmed, used or withdrawn.',
      },
    },
  }),
  withdrawInvitation: declare({
    summary: 'Withdraw an invitation',
    success: { status: 204, description: 'The link no longer works.' },
    doors: {
      dashboard: {
        route: 'DELETE /organizations/{organization}/invitations/{id}',
        role: 'admin',
        needsConfirmation: true,
        resource: { name: 'invitation', prefix: 'inv' },
      },
      cli: {
        command: 'user invitations withdraw',
        description: 'withdraw an invitation; its link stops working',
        example: '--id inv_...',
        options: { id: 'the id of the invitation: inv_...' },
        trueMember: 'withdrawn',
        message: 'withdrew {id}',
        notFoundMessage: 'There is no such invitation. It may have been used or withdrawn.',
      },
    },
  }),
};
