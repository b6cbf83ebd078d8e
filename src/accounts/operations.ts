/** Operations of users on their account, sessions and links, and on what an organisation logs and requires. `run.ts` implements them. */
import { RequestReset } from '../contract/dashboard/factors.ts';
import {
  ChangeList,
  ExportChanges,
  ListChanges,
  RequireSignIn,
} from '../contract/dashboard/organizations.ts';
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
import { declare } from '../contract/operation.ts';

export const ACCOUNT_OPERATIONS = {
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
