/** Operations on the members of an organisation, and on those who are invited. `run.ts` implements them. */
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
    summary: 'List who belongs to an organisation',
    description: 'What they are in single projects, and how they sign in, is for owners and admins.',
    success: { status: 200, description: 'Its people.', body: MemberList },
    doors: {
      dashboard: { route: 'GET /organizations/{organization}/users', role: 'viewer' },
    },
  }),
  updateMember: declare({
    summary: 'Change what somebody may do',
    description: 'Only owners change owners, and an organisation keeps at least one.',
    body: UpdateMember,
    success: { status: 200, description: 'The user.', body: Member },
    doors: {
      dashboard: {
        route: 'PATCH /organizations/{organization}/users/{id}',
        role: 'admin',
        confirms: true,
        resource: { name: 'user in this organisation', prefix: 'usr' },
      },
    },
  }),
  removeMember: declare({
    summary: 'Remove somebody',
    description:
      'Who belongs to no other organisation is deleted. Only owners remove owners, and the last one stays. API keys that they made go on working unless they are revoked too.',
    query: RemoveMember,
    success: { status: 204, description: 'They open nothing of it within two seconds.' },
    doors: {
      dashboard: {
        route: 'DELETE /organizations/{organization}/users/{id}',
        role: 'admin',
        confirms: true,
        resource: { name: 'user in this organisation', prefix: 'usr' },
      },
    },
  }),
  listMemberSessions: declare({
    summary: 'List where somebody is signed in',
    description: 'Only owners see it of owners.',
    success: { status: 200, description: 'The sessions.', body: SessionList },
    doors: {
      dashboard: {
        route: 'GET /organizations/{organization}/users/{id}/sessions',
        role: 'admin',
        resource: { name: 'user in this organisation', prefix: 'usr' },
      },
    },
  }),
  endMemberSessions: declare({
    summary: 'Sign somebody out everywhere',
    success: {
      status: 204,
      description: 'All of their sessions end within two seconds, but for the one that asks.',
    },
    doors: {
      dashboard: {
        route: 'DELETE /organizations/{organization}/users/{id}/sessions',
        role: 'admin',
        confirms: true,
        resource: { name: 'user in this organisation', prefix: 'usr' },
      },
    },
  }),
  endMemberSession: declare({
    summary: 'Sign somebody out of one browser',
    success: { status: 204, description: 'The session ends within two seconds.' },
    doors: {
      dashboard: {
        route: 'DELETE /organizations/{organization}/users/{id}/sessions/{part}',
        role: 'admin',
        confirms: true,
        resource: { name: 'user in this organisation', prefix: 'usr' },
        part: { name: 'session', prefix: 'ses' },
      },
    },
  }),
  makeMemberResetLink: declare({
    summary: 'Make a link with which a member sets another password',
    description:
      'It works once, within 24 hours, and replaces the link before. A second factor is asked for all the same. For a user who belongs to another organisation too, or runs this installation, only an operator makes one.',
    success: { status: 201, description: 'The link, to hand over.', body: MemberResetLink },
    doors: {
      dashboard: {
        route: 'POST /organizations/{organization}/users/{id}/reset-link',
        role: 'owner',
        confirms: true,
        resource: { name: 'user in this organisation', prefix: 'usr' },
      },
    },
  }),
  listInvitations: declare({
    summary: 'List invitations that nobody has accepted',
    success: { status: 200, description: 'The invitations, without their links.', body: InvitationList },
    doors: {
      dashboard: { route: 'GET /organizations/{organization}/invitations', role: 'admin' },
      cli: {
        command: 'user invitations list',
        description: 'the invitations to an organisation, without their links',
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
      'For an invitation to an address whose mailbox on this server others can read. Operators confirm it with `user invitations confirm`.',
    success: { status: 204, description: 'Its link works from now on.' },
    doors: {
      dashboard: {
        route: 'POST /organizations/{organization}/invitations/{id}/confirmation',
        role: 'owner',
        confirms: true,
        resource: { name: 'invitation that awaits confirmation', prefix: 'inv' },
      },
      cli: {
        command: 'user invitations confirm',
        description:
          'confirm an invitation to an address whose mailbox on this server others can read; its link works then',
        example: '--id inv_...',
        options: { id: 'its id: inv_...' },
        done: 'confirmed',
        says: 'confirmed {id}',
        missing:
          'There is no such invitation that awaits confirmation. It may have been confirmed, used or withdrawn.',
      },
    },
  }),
  withdrawInvitation: declare({
    summary: 'Withdraw an invitation',
    success: { status: 204, description: 'Its link does not work any more.' },
    doors: {
      dashboard: {
        route: 'DELETE /organizations/{organization}/invitations/{id}',
        role: 'admin',
        confirms: true,
        resource: { name: 'invitation', prefix: 'inv' },
      },
      cli: {
        command: 'user invitations withdraw',
        description: 'make the link of an invitation stop working',
        example: '--id inv_...',
        options: { id: 'its id: inv_...' },
        done: 'withdrawn',
        says: 'withdrew {id}',
        missing: 'There is no such invitation. It may have been used or withdrawn.',
      },
    },
  }),
};
