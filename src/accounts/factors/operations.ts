/** Operations on sign-in methods other than the password. `run.ts` implements them. */
import { Confirmation, SignIn, SignInAnswer } from '../../contract/dashboard/users.ts';
import { Session } from '../../contract/dashboard/session.ts';
import {
  Account,
  AddPasskey,
  AddedPasskey,
  AskPasskey,
  ConfirmSession,
  ConfirmTotp,
  ConfirmedTotp,
  FinishOpenId,
  FinishedOpenId,
  NewTotp,
  PasskeyAnswer,
  PasskeyQuestion,
  RecoveryCodes,
  RenamePasskey,
  SecondFactor,
  SignInWays,
  StartOpenId,
  StartedOpenId,
} from '../../contract/dashboard/factors.ts';
import { declare } from '../../contract/operation.ts';

export const FACTOR_OPERATIONS = {
  getSignInWays: declare({
    summary: 'Get the available sign-in methods',
    success: { status: 200, description: 'The sign-in methods other than a password.', body: SignInWays },
    doors: {
      dashboard: { route: 'GET /sign-in', role: 'anyone' },
    },
  }),
  askConfirmationPasskey: declare({
    summary: 'Start confirming the session with a passkey',
    success: { status: 200, description: 'The options for the browser.', body: PasskeyQuestion },
    doors: {
      dashboard: {
        route: 'POST /session/confirmation/passkey-question',
        role: 'signed-in',
        availability: 'session',
      },
    },
  }),
  getAccount: declare({
    summary: "Get the user's sign-in methods",
    success: { status: 200, description: 'The account.', body: Account },
    doors: {
      dashboard: { route: 'GET /user', role: 'signed-in', availability: 'session' },
    },
  }),
  confirmTotp: declare({
    summary: 'Finish setting up an authenticator app',
    body: ConfirmTotp,
    success: { status: 200, description: 'Sign-in now requires a code.', body: ConfirmedTotp },
    errors: ['not-found', 'already-exists'],
    doors: {
      dashboard: {
        route: 'POST /user/authenticator-app/confirmation',
        role: 'signed-in',
        availability: 'second-factor',
        needsConfirmation: true,
      },
    },
  }),
  removeTotp: declare({
    summary: 'Remove the authenticator app',
    success: { status: 204, description: 'Sign-in no longer requires its codes.' },
    errors: ['not-found'],
    doors: {
      dashboard: { route: 'DELETE /user/authenticator-app', role: 'signed-in', needsConfirmation: true },
    },
  }),
  makeRecoveryCodes: declare({
    summary: 'Create new recovery codes',
    success: { status: 200, description: 'Ten codes. Each works once.', body: RecoveryCodes },
    doors: {
      dashboard: {
        route: 'POST /user/recovery-codes',
        role: 'signed-in',
        availability: 'second-factor',
        needsConfirmation: true,
      },
    },
  }),
  startPasskey: declare({
    summary: 'Start adding a passkey',
    success: { status: 200, description: 'The options for the browser.', body: PasskeyQuestion },
    doors: {
      dashboard: {
        route: 'POST /user/passkeys/question',
        role: 'signed-in',
        availability: 'second-factor',
        needsConfirmation: true,
      },
    },
  }),
  renamePasskey: declare({
    summary: 'Rename a passkey',
    body: RenamePasskey,
    success: { status: 204, description: 'The passkey is renamed.' },
    doors: {
      dashboard: {
        route: 'PATCH /user/passkeys/{id}',
        role: 'signed-in',
        resource: { name: 'passkey', prefix: 'psk' },
      },
    },
  }),
  removePasskey: declare({
    summary: 'Remove a passkey',
    description: 'The last sign-in method cannot be removed.',
    success: { status: 204, description: 'The passkey no longer works.' },
    doors: {
      dashboard: {
        route: 'DELETE /user/passkeys/{id}',
        role: 'signed-in',
        needsConfirmation: true,
        resource: { name: 'passkey', prefix: 'psk' },
      },
    },
  }),
  unlinkIdentity: declare({
    summary: 'Unlink an account at the OpenID provider',
    description:
      'The last sign-in method cannot be removed. Signing in at the provider with a verified address links the account again.',
    success: { status: 204, description: 'The account is unlinked.' },
    doors: {
      dashboard: {
        route: 'DELETE /user/identities/{id}',
        role: 'signed-in',
        needsConfirmation: true,
        resource: { name: 'account at a provider', prefix: 'idn' },
      },
    },
  }),
  addPasskey: declare({
    summary: 'Add a passkey',
    body: AddPasskey,
    success: { status: 201, description: 'The passkey can now be used to sign in.', body: AddedPasskey },
    errors: ['already-exists'],
    doors: {
      dashboard: {
        route: 'POST /user/passkeys',
        role: 'signed-in',
        availability: 'second-factor',
        needsConfirmation: true,
      },
    },
  }),
  startTotp: declare({
    summary: 'Start setting up an authenticator app',
    description: 'The app is active once one of its codes is confirmed.',
    success: { status: 200, description: 'A secret, as a QR code and as text.', body: NewTotp },
    doors: {
      dashboard: {
        route: 'POST /user/authenticator-app',
        role: 'signed-in',
        availability: 'second-factor',
        needsConfirmation: true,
      },
    },
  }),
  getSession: declare({
    summary: 'Get the session, with the organizations and projects of its user',
    success: { status: 200, description: 'The session.', body: Session },
    raw: true,
    doors: { dashboard: { route: 'GET /session', role: 'signed-in', availability: 'session' } },
  }),
  signIn: declare({
    summary: 'Sign in',
    description: 'A wrong password and an unknown address get the same response, in the same time.',
    body: SignIn,
    success: { status: 200, description: 'The next step. The session is in a cookie.', body: SignInAnswer },
    errors: ['sign-in-refused'],
    raw: true,
    doors: { dashboard: { route: 'POST /session', role: 'anyone' } },
  }),
  signOut: declare({
    summary: 'Sign out',
    success: { status: 204, description: 'The session has ended.' },
    raw: true,
    doors: { dashboard: { route: 'DELETE /session', role: 'signed-in', availability: 'session' } },
  }),
  confirmSession: declare({
    summary: 'Confirm the session',
    description:
      'With the password, a code of the authenticator app or a passkey. Operations that return `confirmation-required` then work for ten minutes.',
    body: ConfirmSession,
    success: { status: 200, description: 'The session is confirmed.', body: Confirmation },
    errors: ['sign-in-refused'],
    raw: true,
    doors: { dashboard: { route: 'POST /session/confirmation', role: 'signed-in', availability: 'session' } },
  }),
  startOpenIdConfirmation: declare({
    summary: 'Start confirming the session at the OpenID provider',
    body: StartOpenId,
    success: { status: 200, description: 'The URL for the browser to open.', body: StartedOpenId },
    errors: ['not-found'],
    doors: {
      dashboard: {
        route: 'POST /session/confirmation/openid/start',
        role: 'signed-in',
        availability: 'session',
      },
    },
  }),
  finishOpenIdConfirmation: declare({
    summary: 'Confirm the session with the response of the OpenID provider',
    body: FinishOpenId,
    success: { status: 200, description: 'The session is confirmed.', body: FinishedOpenId },
    errors: ['sign-in-refused', 'not-found'],
    doors: {
      dashboard: { route: 'POST /session/confirmation/openid', role: 'signed-in', availability: 'session' },
    },
  }),
  proveSecondFactor: declare({
    summary: 'Sign in: second step, with a code',
    description: 'A six-digit code of the authenticator app, which works once, or a recovery code.',
    body: SecondFactor,
    success: { status: 200, description: 'The session is in a cookie.', body: SignInAnswer },
    errors: ['sign-in-refused', 'not-found'],
    raw: true,
    doors: { dashboard: { route: 'POST /session/second-factor', role: 'anyone' } },
  }),
  askPasskey: declare({
    summary: 'Start signing in with a passkey',
    body: AskPasskey,
    success: { status: 200, description: 'The options for the browser.', body: PasskeyQuestion },
    errors: ['sign-in-refused'],
    doors: { dashboard: { route: 'POST /session/passkey-question', role: 'anyone' } },
  }),
  provePasskey: declare({
    summary: 'Sign in with a passkey',
    description: 'No second factor is needed: the device has verified its user.',
    body: PasskeyAnswer,
    success: { status: 200, description: 'The session is in a cookie.', body: SignInAnswer },
    errors: ['sign-in-refused', 'not-found'],
    raw: true,
    doors: { dashboard: { route: 'POST /session/passkey', role: 'anyone' } },
  }),
  startOpenId: declare({
    summary: 'Start signing in with the OpenID provider',
    description: 'The page keeps the ticket: without it the response of the provider is worthless.',
    body: StartOpenId,
    success: { status: 200, description: 'The URL for the browser to open.', body: StartedOpenId },
    errors: ['not-found'],
    doors: { dashboard: { route: 'POST /session/openid/start', role: 'anyone' } },
  }),
  finishOpenId: declare({
    summary: 'Sign in with the response of the OpenID provider',
    description:
      'For existing and invited users whose address the provider has verified. It creates no other accounts.',
    body: FinishOpenId,
    success: { status: 200, description: 'The next step.', body: FinishedOpenId },
    errors: ['sign-in-refused', 'not-found'],
    raw: true,
    doors: { dashboard: { route: 'POST /session/openid', role: 'anyone' } },
  }),
};
