/** Operations on sign-ins, sessions and credentials of a mailbox, for the dashboard and for its owner. `run.ts` implements them. */
import { Confirmation } from '../../contract/dashboard/users.ts';
import { MailAccounts, MailSignIn, MailSignInAnswer } from '../../contract/mail/session.ts';
import {
  AddPasskey,
  AddedPasskey,
  AskPasskey,
  ConfirmSession,
  ConfirmTotp,
  ConfirmedTotp,
  NewTotp,
  PasskeyAnswer,
  PasskeyQuestion,
  RecoveryCodes,
  RenamePasskey,
  SecondFactor,
} from '../../contract/dashboard/factors.ts';
import {
  type AppPassword,
  AppPasswordList,
  CreateAppPassword,
  CreatedAppPassword,
  MailboxSignIns,
} from '../../contract/dashboard/mailboxes.ts';
import { ChangeMailPassword, MailOwnAccount, MailSessions } from '../../contract/mail/account.ts';
import { declare, tableOf } from '../../contract/operation.ts';

const SAMPLE = '--project default --address sales@acme.example';
const OPTIONS = { project: 'the project of the mailbox' };

const FROM_NOW_ON =
  'From now on mail apps need app passwords. Adding the first second factor also ends all other sessions.';

export const MAILBOX_ACCESS_OPERATIONS = {
  removeMailboxSecondFactor: declare({
    summary: 'Remove the second factor of a mailbox',
    description:
      'For an owner who has lost the second factor. Afterwards, the password alone is enough to sign in.',
    success: { status: 204, description: 'The second factor is removed.' },
    doors: {
      dashboard: {
        route: 'DELETE /projects/{project}/mailboxes/{id}/second-factor',
        needsConfirmation: true,
        resource: { name: 'mailbox', prefix: 'mbx' },
        role: 'admin',
      },
    },
  }),
  createAppPassword: declare({
    summary: 'Create an app password',
    description: 'The password is returned only in this response.',
    body: CreateAppPassword,
    success: { status: 201, description: 'The app password.', body: CreatedAppPassword },
    doors: {
      dashboard: {
        route: 'POST /projects/{project}/mailboxes/{id}/app-passwords',
        needsConfirmation: true,
        resource: { name: 'mailbox', prefix: 'mbx' },
        role: 'admin',
      },
      mail: {
        id: 'createOwnAppPassword',
        route: 'POST /mailboxes/{mailbox}/app-passwords',
        needsConfirmation: true,
      },
      cli: {
        command: 'mailbox app-password create',
        description: 'create an app password; it is shown once',
        example: `${SAMPLE} --name phone`,
        options: { ...OPTIONS, name: 'the name of the app', access: 'the permissions of the app' },
        defaults: { access: 'everything' },
      },
    },
  }),
  listAppPasswords: declare({
    summary: 'List the app passwords of a mailbox, without their secrets',
    success: { status: 200, description: 'The app passwords.', body: AppPasswordList },
    doors: {
      dashboard: {
        route: 'GET /projects/{project}/mailboxes/{id}/app-passwords',
        resource: { name: 'mailbox', prefix: 'mbx' },
        role: 'developer',
      },
      cli: {
        command: 'mailbox app-password list',
        description: 'list the app passwords of a mailbox, without their secrets',
        example: SAMPLE,
        options: OPTIONS,
        table: tableOf<AppPassword>({
          columns: [
            { title: 'ID', cell: 'id' },
            { title: 'AGE', cell: 'created_at' },
            { title: 'USED', cell: 'last_used_at' },
            { title: 'ACCESS', cell: 'access' },
            { title: 'NAME', cell: 'name', isCut: true },
          ],
          none: '{address} has no app passwords.',
        }),
      },
    },
  }),
  revokeAppPassword: declare({
    summary: 'Revoke an app password',
    success: {
      status: 204,
      description: 'The app password is revoked. Its sessions end within two seconds.',
    },
    doors: {
      dashboard: {
        route: 'DELETE /projects/{project}/mailboxes/{id}/app-passwords/{part}',
        part: { name: 'app password', prefix: 'app' },
        resource: { name: 'mailbox', prefix: 'mbx' },
        role: 'admin',
      },
      cli: {
        command: 'mailbox app-password revoke',
        description: 'revoke an app password; its sessions end within two seconds',
        example: `${SAMPLE} --id app_...`,
        options: { ...OPTIONS, id: 'the id of the app password: app_...' },
        trueMember: 'revoked',
        message: 'revoked {id}',
        notFoundMessage: 'The mailbox has no such app password, or it is already revoked.',
      },
    },
  }),
  getMailboxSignIns: declare({
    summary: 'List the sessions and recent sign-ins of a mailbox',
    success: {
      status: 200,
      description: 'Sessions and sign-ins, with protocol, IP address and time.',
      body: MailboxSignIns,
    },
    doors: {
      dashboard: {
        route: 'GET /projects/{project}/mailboxes/{id}/sign-ins',
        resource: { name: 'mailbox', prefix: 'mbx' },
        role: 'admin',
      },
    },
  }),
  endMailboxSessions: declare({
    summary: 'End all sessions of a mailbox',
    description: 'Passwords stay valid, so apps and browsers can sign in again.',
    success: { status: 204, description: 'All sessions end within two seconds.' },
    doors: {
      dashboard: {
        route: 'DELETE /projects/{project}/mailboxes/{id}/sessions',
        resource: { name: 'mailbox', prefix: 'mbx' },
        role: 'admin',
      },
    },
  }),
  getMailAccount: declare({
    summary: 'Get the sign-in settings',
    success: { status: 200, description: 'The sign-in settings.', body: MailOwnAccount },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/account' },
    },
  }),
  listMailSessions: declare({
    summary: 'List the sessions of the mailbox',
    success: { status: 200, description: 'Sessions in browsers and in mail apps.', body: MailSessions },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/sessions' },
    },
  }),
  endOtherMailSessions: declare({
    summary: 'Sign out everywhere else',
    description:
      'Mail apps sign in again automatically. To prevent that, revoke their app password or change the password.',
    success: { status: 204, description: 'All other sessions end within two seconds.' },
    doors: {
      mail: { route: 'DELETE /mailboxes/{mailbox}/sessions' },
    },
  }),
  endMailSession: declare({
    summary: 'Sign out a browser',
    success: { status: 204, description: 'The session of the browser ends within two seconds.' },
    doors: {
      mail: {
        route: 'DELETE /mailboxes/{mailbox}/sessions/{id}',
        resource: { name: 'session', prefix: 'ses' },
      },
    },
  }),
  listOwnAppPasswords: declare({
    summary: 'List the app passwords of the mailbox, without their secrets',
    success: { status: 200, description: 'The app passwords.', body: AppPasswordList },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/app-passwords' },
    },
  }),
  revokeOwnAppPassword: declare({
    summary: 'Revoke an app password',
    success: {
      status: 204,
      description: 'The app password is revoked. Its sessions end within two seconds.',
    },
    doors: {
      mail: {
        route: 'DELETE /mailboxes/{mailbox}/app-passwords/{id}',
        resource: { name: 'app password', prefix: 'app' },
      },
    },
  }),
  confirmMailTotp: declare({
    summary: 'Set up an authenticator app',
    description: FROM_NOW_ON,
    body: ConfirmTotp,
    success: {
      status: 200,
      description: 'From now on, signing in requires a code of the app.',
      body: ConfirmedTotp,
    },
    errors: ['not-found', 'already-exists'],
    doors: {
      mail: { route: 'POST /mailboxes/{mailbox}/authenticator-app/confirmation', needsConfirmation: true },
    },
  }),
  removeMailTotp: declare({
    summary: 'Remove the authenticator app',
    success: { status: 204, description: 'The codes of the app are no longer required.' },
    doors: {
      mail: { route: 'DELETE /mailboxes/{mailbox}/authenticator-app', needsConfirmation: true },
    },
  }),
  makeMailRecoveryCodes: declare({
    summary: 'Create new recovery codes',
    success: { status: 200, description: 'The new codes replace the old ones.', body: RecoveryCodes },
    doors: {
      mail: { route: 'POST /mailboxes/{mailbox}/recovery-codes', needsConfirmation: true },
    },
  }),
  startMailPasskey: declare({
    summary: 'Start to add a passkey',
    success: { status: 200, description: 'The options for the browser.', body: PasskeyQuestion },
    doors: {
      mail: { route: 'POST /mailboxes/{mailbox}/passkeys/question', needsConfirmation: true },
    },
  }),
  renameMailPasskey: declare({
    summary: 'Rename a passkey',
    body: RenamePasskey,
    success: { status: 204, description: 'The passkey is renamed.' },
    doors: {
      mail: {
        route: 'PATCH /mailboxes/{mailbox}/passkeys/{id}',
        resource: { name: 'passkey', prefix: 'psk' },
      },
    },
  }),
  removeMailPasskey: declare({
    summary: 'Remove a passkey',
    success: { status: 204, description: 'The passkey no longer works.' },
    doors: {
      mail: {
        route: 'DELETE /mailboxes/{mailbox}/passkeys/{id}',
        needsConfirmation: true,
        resource: { name: 'passkey', prefix: 'psk' },
      },
    },
  }),
  addMailPasskey: declare({
    summary: 'Add a passkey',
    description: FROM_NOW_ON,
    body: AddPasskey,
    success: { status: 201, description: 'The owner can now sign in with the passkey.', body: AddedPasskey },
    errors: ['already-exists'],
    doors: { mail: { route: 'POST /mailboxes/{mailbox}/passkeys', needsConfirmation: true } },
  }),
  changeMailPassword: declare({
    summary: 'Change the password of the mailbox',
    description: 'Mail apps with the old password are signed out too. App passwords stay valid.',
    body: ChangeMailPassword,
    success: {
      status: 204,
      description: 'The password is changed. All other sessions end within two seconds.',
    },
    errors: ['sign-in-refused'],
    raw: true,
    doors: { mail: { route: 'PUT /mailboxes/{mailbox}/password', needsConfirmation: true } },
  }),
  startMailTotp: declare({
    summary: 'Start to set up an authenticator app',
    description: 'Sign-in requires the app only after one of its codes is confirmed.',
    success: { status: 200, description: 'The secret, as a QR code and as text.', body: NewTotp },
    doors: { mail: { route: 'POST /mailboxes/{mailbox}/authenticator-app', needsConfirmation: true } },
  }),
  getMailSession: declare({
    summary: 'List the mailboxes that this browser is signed in to',
    success: { status: 200, description: 'The mailboxes; the list may be empty.', body: MailAccounts },
    raw: true,
    doors: { mail: { route: 'GET /session' } },
  }),
  signInToMailbox: declare({
    summary: 'Sign in to a mailbox',
    description:
      'A wrong password and an unknown address get the same response, in the same time. App passwords work only in mail apps. Other mailboxes in this browser stay signed in.',
    body: MailSignIn,
    success: {
      status: 200,
      description: 'The session, in a cookie named after the mailbox, or the next step.',
      body: MailSignInAnswer,
    },
    errors: ['sign-in-refused'],
    raw: true,
    doors: { mail: { route: 'POST /session' } },
  }),
  signOutOfMailbox: declare({
    summary: 'Sign out of a mailbox',
    success: { status: 204, description: 'The session has ended. Other mailboxes stay signed in.' },
    raw: true,
    doors: { mail: { route: 'DELETE /mailboxes/{mailbox}/session' } },
  }),
  proveMailSecondFactor: declare({
    summary: 'Sign in to a mailbox: the second step, with a code',
    description: 'A six-digit code of the app, which works once, or a recovery code.',
    body: SecondFactor,
    success: { status: 200, description: 'The session.', body: MailSignInAnswer },
    errors: ['sign-in-refused'],
    raw: true,
    doors: { mail: { route: 'POST /session/second-factor' } },
  }),
  askMailPasskey: declare({
    summary: 'Start to sign in to a mailbox with a passkey',
    body: AskPasskey,
    success: { status: 200, description: 'The options for the browser.', body: PasskeyQuestion },
    errors: ['sign-in-refused'],
    doors: { mail: { route: 'POST /session/passkey-question' } },
  }),
  proveMailPasskey: declare({
    summary: 'Sign in to a mailbox with a passkey',
    description: 'No password is needed, because the device has verified its user.',
    body: PasskeyAnswer,
    success: { status: 200, description: 'The session.', body: MailSignInAnswer },
    errors: ['sign-in-refused'],
    raw: true,
    doors: { mail: { route: 'POST /session/passkey' } },
  }),
  confirmMailSession: declare({
    summary: 'Confirm your identity',
    description:
      'With the password, a code of the app or a passkey. For ten minutes no operation then returns `confirmation-required`.',
    body: ConfirmSession,
    success: { status: 200, description: 'The identity is confirmed.', body: Confirmation },
    errors: ['sign-in-refused'],
    raw: true,
    doors: { mail: { route: 'POST /mailboxes/{mailbox}/session/confirmation' } },
  }),
  askMailConfirmationPasskey: declare({
    summary: 'Start to confirm your identity with a passkey',
    success: { status: 200, description: 'The options for the browser.', body: PasskeyQuestion },
    doors: { mail: { route: 'POST /mailboxes/{mailbox}/session/confirmation/passkey-question' } },
  }),
};
