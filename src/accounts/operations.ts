/** Operations on organisations, their projects and members, and sessions of a user. `run.ts` implements them. */
import { RequestReset } from '../contract/dashboard/factors.ts';
import {
  ChangeList,
  CreateProject,
  CreatedOrganization,
  CreatedProject,
  ExportChanges,
  InvitationList,
  ListChanges,
  Member,
  MemberList,
  MemberResetLink,
  RemoveMember,
  RenameOrganization,
  RequireSignIn,
  UpdateMember,
} from '../contract/dashboard/organizations.ts';
import { ProjectSettings, Retention, UpdateProject } from '../contract/dashboard/projects.ts';
import {
  AcceptInvitation,
  AcceptedInvitation,
  ChangePassword,
  FindLink,
  ResetPassword,
  SessionList,
  SignInAnswer,
  SignInLink,
  UpdateUser,
  Welcome,
} from '../contract/dashboard/users.ts';
import { declare, tableOf } from '../contract/operation.ts';

export const ACCOUNT_OPERATIONS = {
  createOrganization: declare({
    summary: 'Make an organisation',
    description: 'Whoever makes it is its first owner. It is apart from all others.',
    body: RenameOrganization,
    success: { status: 201, description: 'The organisation.', body: CreatedOrganization },
    doors: {
      dashboard: { route: 'POST /organizations', role: 'operator' },
    },
  }),
  updateOrganization: declare({
    summary: 'Rename an organisation',
    body: RenameOrganization,
    success: { status: 204, description: 'It is renamed.' },
    doors: {
      dashboard: { route: 'PATCH /organizations/{organization}', role: 'owner' },
    },
  }),
  createProject: declare({
    summary: 'Make a project',
    description: 'Only operators of the installation choose its plan.',
    body: CreateProject,
    success: { status: 201, description: 'The project.', body: CreatedProject },
    errors: ['already-exists'],
    doors: {
      dashboard: { route: 'POST /organizations/{organization}/projects', role: 'admin', confirms: true },
    },
  }),
  getProjectSettings: declare({
    summary: 'Get the settings of a project',
    success: { status: 200, description: 'The settings.', body: ProjectSettings },
    doors: {
      dashboard: { route: 'GET /projects/{project}/settings', role: 'viewer' },
    },
  }),
  updateProject: declare({
    summary: 'Rename a project, or change its settings',
    description:
      'Only operators of the installation choose its plan. Servers know a change within two seconds.',
    body: UpdateProject,
    success: { status: 204, description: 'It is changed.' },
    errors: ['already-exists'],
    doors: {
      dashboard: { route: 'PATCH /projects/{project}', role: 'admin' },
    },
  }),
  setRetention: declare({
    summary: 'Set for how long emails and their bodies are kept',
    description: 'What is older goes within minutes, and does not come back.',
    body: Retention,
    success: { status: 204, description: 'It is set.' },
    doors: {
      dashboard: { route: 'PUT /projects/{project}/retention', role: 'admin', confirms: true },
    },
  }),
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
  listChanges: declare({
    summary: 'List what was changed, by whom and from where',
    description: 'Kept for 400 days.',
    query: ListChanges,
    success: { status: 200, description: 'A page of the audit log.', body: ChangeList },
    doors: {
      dashboard: { route: 'GET /organizations/{organization}/changes', role: 'admin' },
    },
  }),
  updateUser: declare({
    summary: 'Change the name that others see',
    body: UpdateUser,
    success: { status: 204, description: 'It is changed.' },
    doors: {
      dashboard: { route: 'PATCH /user', role: 'signed-in' },
    },
  }),
  listSessions: declare({
    summary: 'List where the user is signed in',
    success: { status: 200, description: 'The sessions.', body: SessionList },
    doors: {
      dashboard: { route: 'GET /sessions', role: 'signed-in' },
    },
  }),
  endOtherSessions: declare({
    summary: 'Sign out everywhere else',
    success: { status: 204, description: 'All sessions but this one end within two seconds.' },
    doors: {
      dashboard: { route: 'DELETE /sessions', role: 'signed-in' },
    },
  }),
  endSession: declare({
    summary: 'Sign out somewhere else',
    success: { status: 204, description: 'The session ends within two seconds.' },
    doors: {
      dashboard: {
        route: 'DELETE /sessions/{id}',
        role: 'signed-in',
        resource: { name: 'session', prefix: 'ses' },
      },
    },
  }),
  findLink: declare({
    summary: 'Tell what a link is for',
    description: 'The token is posted, since addresses of requests are in logs. The link is not used up.',
    body: FindLink,
    success: { status: 200, description: 'The link works.', body: SignInLink },
    errors: ['not-found'],
    doors: {
      dashboard: { route: 'POST /links', role: 'anyone' },
    },
  }),
  acceptInvitation: declare({
    summary: 'Join an organisation with a link',
    description: 'Name and password are for those who have no account yet. Who has one is signed in to it.',
    body: AcceptInvitation,
    success: { status: 200, description: 'The user belongs to it.', body: AcceptedInvitation },
    errors: ['not-found', 'missing-role', 'already-exists'],
    raw: true,
    doors: { dashboard: { route: 'POST /links/invitation', role: 'anyone' } },
  }),
  requestReset: declare({
    summary: 'Ask for a mail with a link for another password',
    description: 'The answer is the same, in the same time, whether or not anybody has the address.',
    body: RequestReset,
    success: { status: 202, description: 'If somebody has the address, a mail is on its way.' },
    raw: true,
    doors: { dashboard: { route: 'POST /links/reset-request', role: 'anyone' } },
  }),
  resetPassword: declare({
    summary: 'Set another password with a link',
    description: 'All sessions of the user end. A second factor is asked for all the same.',
    body: ResetPassword,
    success: { status: 200, description: 'The password is set. What comes next.', body: SignInAnswer },
    errors: ['not-found'],
    raw: true,
    doors: { dashboard: { route: 'POST /links/reset', role: 'anyone' } },
  }),
  welcome: declare({
    summary: 'Become the first owner',
    description:
      'With the link that the service prints at its start, as long as it has no user. It works once.',
    body: Welcome,
    success: { status: 200, description: 'The user is made, and signed in.', body: SignInAnswer },
    errors: ['not-found'],
    raw: true,
    doors: { dashboard: { route: 'POST /links/welcome', role: 'anyone' } },
  }),
  exportChanges: declare({
    summary: 'Export the changes that a filter finds, the last one first',
    description:
      'CSV with a line of names, or a JSON object for each line. An export that breaks off was ended by an error, or with the session.',
    query: ExportChanges,
    success: { status: 200, description: 'A file.', media: 'application/octet-stream' },
    raw: true,
    doors: { dashboard: { route: 'GET /organizations/{organization}/changes/export', role: 'admin' } },
  }),
  requireSignIn: declare({
    summary: 'Require a second factor or OpenID of the members',
    description:
      'A member whose session lacks it opens nothing of the organisation until they set it up. Your own session must have it.',
    body: RequireSignIn,
    success: { status: 204, description: 'It is required within two seconds.' },
    doors: {
      dashboard: {
        route: 'PUT /organizations/{organization}/required-sign-in',
        role: 'owner',
        confirms: true,
      },
    },
  }),
  changePassword: declare({
    summary: 'Change the password',
    body: ChangePassword,
    success: { status: 204, description: 'It is changed. All other sessions end.' },
    errors: ['sign-in-refused'],
    raw: true,
    doors: { dashboard: { route: 'PUT /user/password', role: 'signed-in' } },
  }),
};
