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
    summary: 'Tell how people sign in here',
    success: { status: 200, description: 'The ways in beside a password.', body: SignInWays },
    doors: {
      dashboard: { route: 'GET /sign-in', role: 'anyone' },
    },
  }),
  askConfirmationPasskey: declare({
    summary: 'Begin to say again who sits there, with a passkey',
    success: { status: 200, description: 'What to ask the browser.', body: PasskeyQuestion },
    doors: {
      dashboard: {
        route: 'POST /session/confirmation/passkey-question',
        role: 'signed-in',
        serves: 'session',
      },
    },
  }),
  getAccount: declare({
    summary: 'Tell how the user signs in',
    success: { status: 200, description: 'The account.', body: Account },
    doors: {
      dashboard: { route: 'GET /user', role: 'signed-in', serves: 'session' },
    },
  }),
  confirmTotp: declare({
    summary: 'Set up an authenticator app, with a code of it',
    body: ConfirmTotp,
    success: { status: 200, description: 'From now on codes are asked for.', body: ConfirmedTotp },
    errors: ['not-found', 'already-exists'],
    doors: {
      dashboard: {
        route: 'POST /user/authenticator-app/confirmation',
        role: 'signed-in',
        serves: 'second-factor',
        confirms: true,
      },
    },
  }),
  removeTotp: declare({
    summary: 'Remove the authenticator app',
    success: { status: 204, description: 'Its codes are not asked for any more.' },
    errors: ['not-found'],
    doors: {
      dashboard: { route: 'DELETE /user/authenticator-app', role: 'signed-in', confirms: true },
    },
  }),
  makeRecoveryCodes: declare({
    summary: 'Make other recovery codes',
    success: { status: 200, description: 'Ten codes, each of which works once.', body: RecoveryCodes },
    doors: {
      dashboard: {
        route: 'POST /user/recovery-codes',
        role: 'signed-in',
        serves: 'second-factor',
        confirms: true,
      },
    },
  }),
  startPasskey: declare({
    summary: 'Begin to add a passkey',
    success: { status: 200, description: 'What to ask the browser.', body: PasskeyQuestion },
    doors: {
      dashboard: {
        route: 'POST /user/passkeys/question',
        role: 'signed-in',
        serves: 'second-factor',
        confirms: true,
      },
    },
  }),
  renamePasskey: declare({
    summary: 'Call a passkey something else',
    body: RenamePasskey,
    success: { status: 204, description: 'It has the name.' },
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
    description: 'But for the last way in.',
    success: { status: 204, description: 'It does not sign in any more.' },
    doors: {
      dashboard: {
        route: 'DELETE /user/passkeys/{id}',
        role: 'signed-in',
        confirms: true,
        resource: { name: 'passkey', prefix: 'psk' },
      },
    },
  }),
  unlinkIdentity: declare({
    summary: 'Forget an account at the OpenID provider',
    description: 'But for the last way in. Whoever signs in with a verified address again is linked again.',
    success: { status: 204, description: 'It is forgotten.' },
    doors: {
      dashboard: {
        route: 'DELETE /user/identities/{id}',
        role: 'signed-in',
        confirms: true,
        resource: { name: 'account at a provider', prefix: 'idn' },
      },
    },
  }),
  addPasskey: declare({
    summary: 'Add a passkey',
    body: AddPasskey,
    success: { status: 201, description: 'From now on it signs the user in.', body: AddedPasskey },
    errors: ['already-exists'],
    doors: {
      dashboard: { route: 'POST /user/passkeys', role: 'signed-in', serves: 'second-factor', confirms: true },
    },
  }),
  startTotp: declare({
    summary: 'Begin to set up an authenticator app',
    description: 'It counts once a code of it was typed.',
    success: { status: 200, description: 'A secret, as a picture and as text.', body: NewTotp },
    doors: {
      dashboard: {
        route: 'POST /user/authenticator-app',
        role: 'signed-in',
        serves: 'second-factor',
        confirms: true,
      },
    },
  }),
  getSession: declare({
    summary: 'Tell who is signed in, and what they may open',
    success: { status: 200, description: 'The session.', body: Session },
    raw: true,
    doors: { dashboard: { route: 'GET /session', role: 'signed-in', serves: 'session' } },
  }),
  signIn: declare({
    summary: 'Sign in',
    description: 'A wrong password and an unknown address have one answer, in the same time.',
    body: SignIn,
    success: { status: 200, description: 'What comes next. The cookie is the session.', body: SignInAnswer },
    errors: ['sign-in-refused'],
    raw: true,
    doors: { dashboard: { route: 'POST /session', role: 'anyone' } },
  }),
  signOut: declare({
    summary: 'Sign out',
    success: { status: 204, description: 'The session has ended.' },
    raw: true,
    doors: { dashboard: { route: 'DELETE /session', role: 'signed-in', serves: 'session' } },
  }),
  confirmSession: declare({
    summary: 'Say again who sits there',
    description:
      'With the password, a code of the app or a passkey. What answers `confirmation-required` then works for ten minutes.',
    body: ConfirmSession,
    success: { status: 200, description: 'It is the user.', body: Confirmation },
    errors: ['sign-in-refused'],
    raw: true,
    doors: { dashboard: { route: 'POST /session/confirmation', role: 'signed-in', serves: 'session' } },
  }),
  startOpenIdConfirmation: declare({
    summary: 'Begin to say again who sits there, at the OpenID provider',
    body: StartOpenId,
    success: { status: 200, description: 'Where the browser goes.', body: StartedOpenId },
    errors: ['not-found'],
    doors: {
      dashboard: { route: 'POST /session/confirmation/openid/start', role: 'signed-in', serves: 'session' },
    },
  }),
  finishOpenIdConfirmation: declare({
    summary: 'Say again who sits there, with what the OpenID provider says',
    body: FinishOpenId,
    success: { status: 200, description: 'It is the user.', body: FinishedOpenId },
    errors: ['sign-in-refused', 'not-found'],
    doors: {
      dashboard: { route: 'POST /session/confirmation/openid', role: 'signed-in', serves: 'session' },
    },
  }),
  proveSecondFactor: declare({
    summary: 'Sign in: the second step, with a code',
    description: 'Six digits of the app, each of which works once, or a recovery code.',
    body: SecondFactor,
    success: { status: 200, description: 'The cookie is the session.', body: SignInAnswer },
    errors: ['sign-in-refused', 'not-found'],
    raw: true,
    doors: { dashboard: { route: 'POST /session/second-factor', role: 'anyone' } },
  }),
  askPasskey: declare({
    summary: 'Begin to sign in with a passkey',
    body: AskPasskey,
    success: { status: 200, description: 'What to ask the browser.', body: PasskeyQuestion },
    errors: ['sign-in-refused'],
    doors: { dashboard: { route: 'POST /session/passkey-question', role: 'anyone' } },
  }),
  provePasskey: declare({
    summary: 'Sign in with a passkey',
    description: 'It is enough alone: the device has asked who holds it.',
    body: PasskeyAnswer,
    success: { status: 200, description: 'The cookie is the session.', body: SignInAnswer },
    errors: ['sign-in-refused', 'not-found'],
    raw: true,
    doors: { dashboard: { route: 'POST /session/passkey', role: 'anyone' } },
  }),
  startOpenId: declare({
    summary: 'Begin to sign in with the OpenID provider',
    description: 'The page keeps the ticket: without it what the provider says is worth nothing.',
    body: StartOpenId,
    success: { status: 200, description: 'Where the browser goes.', body: StartedOpenId },
    errors: ['not-found'],
    doors: { dashboard: { route: 'POST /session/openid/start', role: 'anyone' } },
  }),
  finishOpenId: declare({
    summary: 'Sign in with what the OpenID provider says',
    description:
      'For users whose address the provider has verified, and for those who are invited. Nobody becomes a user by it.',
    body: FinishOpenId,
    success: { status: 200, description: 'What comes next.', body: FinishedOpenId },
    errors: ['sign-in-refused', 'not-found'],
    raw: true,
    doors: { dashboard: { route: 'POST /session/openid', role: 'anyone' } },
  }),
};
