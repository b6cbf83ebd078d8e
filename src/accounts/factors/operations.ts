/** Operations on how a user signs in, beside a password. `run.ts` implements them. */
import {
  Account,
  ConfirmTotp,
  ConfirmedTotp,
  PasskeyQuestion,
  RecoveryCodes,
  RenamePasskey,
  SignInWays,
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
};
