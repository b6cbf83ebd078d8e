/**
 * Operations on a user's account, sessions and links, and on an organization's audit log and required sign-in. `run.ts` implements them.
 */
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
    summary: 'List the audit log of an organization',
    description: 'Entries are stored for 400 days.',
    query: ListChanges,
    success: { status: 200, description: 'A page of the audit log.', body: ChangeList },
    doors: {
      dashboard: { route: 'GET /organizations/{organization}/changes', role: 'admin' },
    },
  }),
  updateUser: declare({
    summary: 'Change the display name of the user',
    body: UpdateUser,
    success: { status: 204, description: 'The name is changed.' },
    doors: {
      dashboard: { route: 'PATCH /user', role: 'signed-in' },
    },
  }),
  listSessions: declare({
    summary: 'List the sessions of the user',
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
    summary: 'Sign out of another browser',
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
    summary: 'Look up a link',
    description:
      'The token is in the body, because logs contain the URLs of requests. The link is not used up.',
    body: FindLink,
    success: { status: 200, description: 'The link works.', body: SignInLink },
    errors: ['not-found'],
    doors: {
      dashboard: { route: 'POST /links', role: 'anyone' },
    },
  }),
  acceptInvitation: declare({
    summary: 'Accept an invitation',
    description:
      'Name and password are for users without an account. A user with an account must be signed in to it.',
    body: AcceptInvitation,
    success: { status: 200, description: 'The user belongs to it.', body: AcceptedInvitation },
    errors: ['not-found', 'missing-role', 'already-exists'],
    raw: true,
    doors: { dashboard: { route: 'POST /links/invitation', role: 'anyone' } },
  }),
  requestReset: declare({
    summary: 'Request a password reset link by email',
    description:
      'The response, and the time it takes, are the same whether or not the address has an account.',
    body: RequestReset,
    success: { status: 202, description: 'If the address has an account, an email with the link is sent.' },
    raw: true,
    doors: { dashboard: { route: 'POST /links/reset-request', role: 'anyone' } },
  }),
  resetPassword: declare({
    summary: 'Reset the password with a link',
    description: 'All sessions of the user end. A second factor is still required.',
    body: ResetPassword,
    success: {
      status: 200,
      description: 'The password is set. The body has the next step.',
      body: SignInAnswer,
    },
    errors: ['not-found'],
    raw: true,
    doors: { dashboard: { route: 'POST /links/reset', role: 'anyone' } },
  }),
  welcome: declare({
    summary: 'Create the first owner',
    description: 'With the link that the service prints when it starts and has no user. The link works once.',
    body: Welcome,
    success: { status: 200, description: 'The user is created and signed in.', body: SignInAnswer },
    errors: ['not-found'],
    raw: true,
    doors: { dashboard: { route: 'POST /links/welcome', role: 'anyone' } },
  }),
  exportChanges: declare({
    summary: 'Export the audit log, newest change first',
    description:
      'CSV with a header line, or one JSON object per line. A truncated export was ended by an error, or by the end of the session.',
    query: ExportChanges,
    success: { status: 200, description: 'A file.', media: 'application/octet-stream' },
    raw: true,
    doors: { dashboard: { route: 'GET /organizations/{organization}/changes/export', role: 'admin' } },
  }),
  requireSignIn: declare({
    summary: 'Require members to use a second factor or OpenID',
    description:
      'Members whose session does not meet the requirement have no access to the organization until they set it up. Your own session must meet it.',
    body: RequireSignIn,
    success: { status: 204, description: 'The requirement takes effect within two seconds.' },
    doors: {
      dashboard: {
        route: 'PUT /organizations/{organization}/required-sign-in',
        role: 'owner',
        needsConfirmation: true,
      },
    },
  }),
  changePassword: declare({
    summary: 'Change the password',
    body: ChangePassword,
    success: { status: 204, description: 'The password is changed. All other sessions end.' },
    errors: ['sign-in-refused'],
    raw: true,
    doors: { dashboard: { route: 'PUT /user/password', role: 'signed-in' } },
  }),
};
