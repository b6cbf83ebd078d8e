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
  'From now on mail apps need app passwords. With the first second factor, all that is open but this session ends.';

export const MAILBOX_ACCESS_OPERATIONS = {
  removeMailboxSecondFactor: declare({
    summary: 'Take the second factor off a mailbox',
    description: 'For an owner who has lost it: their password opens the mailbox alone from then on.',
    success: { status: 204, description: 'It is off.' },
    doors: {
      dashboard: {
        route: 'DELETE /projects/{project}/mailboxes/{id}/second-factor',
        confirms: true,
        resource: { name: 'mailbox', prefix: 'mbx' },
        role: 'admin',
      },
    },
  }),
  createAppPassword: declare({
    summary: 'Make a password for one mail app',
    description: 'It is in the answer, and in no other one.',
    body: CreateAppPassword,
    success: { status: 201, description: 'The app password.', body: CreatedAppPassword },
    doors: {
      dashboard: {
        route: 'POST /projects/{project}/mailboxes/{id}/app-passwords',
        confirms: true,
        resource: { name: 'mailbox', prefix: 'mbx' },
        role: 'admin',
      },
      mail: {
        id: 'createOwnAppPassword',
        route: 'POST /mailboxes/{mailbox}/app-passwords',
        confirms: true,
      },
      cli: {
        command: 'mailbox app-password create',
        description: 'make an app password; it is shown once',
        example: `${SAMPLE} --name phone`,
        options: { ...OPTIONS, name: 'which app it is for', access: 'what the app may do' },
        defaults: { access: 'everything' },
      },
    },
  }),
  listAppPasswords: declare({
    summary: 'App passwords of a mailbox, without their secrets',
    success: { status: 200, description: 'The app passwords.', body: AppPasswordList },
    doors: {
      dashboard: {
        route: 'GET /projects/{project}/mailboxes/{id}/app-passwords',
        resource: { name: 'mailbox', prefix: 'mbx' },
        role: 'developer',
      },
      cli: {
        command: 'mailbox app-password list',
        description: 'the app passwords of a mailbox, without their secrets',
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
    success: { status: 204, description: 'It is revoked. What it opened ends within two seconds.' },
    doors: {
      dashboard: {
        route: 'DELETE /projects/{project}/mailboxes/{id}/app-passwords/{part}',
        part: { name: 'app password', prefix: 'app' },
        resource: { name: 'mailbox', prefix: 'mbx' },
        role: 'admin',
      },
      cli: {
        command: 'mailbox app-password revoke',
        description: 'revoke an app password; what it opened is closed within two seconds',
        example: `${SAMPLE} --id app_...`,
        options: { ...OPTIONS, id: 'its id: app_...' },
        done: 'revoked',
        says: 'revoked {id}',
        missing: 'The mailbox has no such app password, or it was revoked before.',
      },
    },
  }),
  getMailboxSignIns: declare({
    summary: 'Who opens a mailbox: sessions and the last sign-ins',
    success: { status: 200, description: 'Doors, addresses and times.', body: MailboxSignIns },
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
    description: 'Whoever knows a password that works signs in again.',
    success: { status: 204, description: 'They end within two seconds.' },
    doors: {
      dashboard: {
        route: 'DELETE /projects/{project}/mailboxes/{id}/sessions',
        resource: { name: 'mailbox', prefix: 'mbx' },
        role: 'admin',
      },
    },
  }),
  getMailAccount: declare({
    summary: 'Tell how the owner signs in',
    success: { status: 200, description: 'The ways in.', body: MailOwnAccount },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/account' },
    },
  }),
  listMailSessions: declare({
    summary: 'List where the mailbox is open',
    success: { status: 200, description: 'In browsers, and in mail apps.', body: MailSessions },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/sessions' },
    },
  }),
  endOtherMailSessions: declare({
    summary: 'Sign out everywhere else',
    description:
      'Mail apps sign in again by themselves: revoke an app password, or change the password, to keep them out.',
    success: { status: 204, description: 'All that is open but this session ends within two seconds.' },
    doors: {
      mail: { route: 'DELETE /mailboxes/{mailbox}/sessions' },
    },
  }),
  endMailSession: declare({
    summary: 'Sign a browser out',
    success: { status: 204, description: 'Its session ends within two seconds.' },
    doors: {
      mail: {
        route: 'DELETE /mailboxes/{mailbox}/sessions/{id}',
        resource: { name: 'session', prefix: 'ses' },
      },
    },
  }),
  listOwnAppPasswords: declare({
    summary: 'App passwords of the mailbox, without their secrets',
    success: { status: 200, description: 'The app passwords.', body: AppPasswordList },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/app-passwords' },
    },
  }),
  revokeOwnAppPassword: declare({
    summary: 'Revoke an app password',
    success: { status: 204, description: 'It is revoked. What it opened ends within two seconds.' },
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
    success: { status: 200, description: 'Its codes are asked for from now on.', body: ConfirmedTotp },
    errors: ['not-found', 'already-exists'],
    doors: {
      mail: { route: 'POST /mailboxes/{mailbox}/authenticator-app/confirmation', confirms: true },
    },
  }),
  removeMailTotp: declare({
    summary: 'Remove the authenticator app',
    success: { status: 204, description: 'Its codes are not asked for any more.' },
    doors: {
      mail: { route: 'DELETE /mailboxes/{mailbox}/authenticator-app', confirms: true },
    },
  }),
  makeMailRecoveryCodes: declare({
    summary: 'Make other recovery codes',
    success: { status: 200, description: 'They take the place of those before.', body: RecoveryCodes },
    doors: {
      mail: { route: 'POST /mailboxes/{mailbox}/recovery-codes', confirms: true },
    },
  }),
  startMailPasskey: declare({
    summary: 'Begin to add a passkey',
    success: { status: 200, description: 'What to ask the browser.', body: PasskeyQuestion },
    doors: {
      mail: { route: 'POST /mailboxes/{mailbox}/passkeys/question', confirms: true },
    },
  }),
  renameMailPasskey: declare({
    summary: 'Call a passkey something else',
    body: RenamePasskey,
    success: { status: 204, description: 'It has the name.' },
    doors: {
      mail: {
        route: 'PATCH /mailboxes/{mailbox}/passkeys/{id}',
        resource: { name: 'passkey', prefix: 'psk' },
      },
    },
  }),
  removeMailPasskey: declare({
    summary: 'Remove a passkey',
    success: { status: 204, description: 'It opens nothing any more.' },
    doors: {
      mail: {
        route: 'DELETE /mailboxes/{mailbox}/passkeys/{id}',
        confirms: true,
        resource: { name: 'passkey', prefix: 'psk' },
      },
    },
  }),
  addMailPasskey: declare({
    summary: 'Add a passkey',
    description: FROM_NOW_ON,
    body: AddPasskey,
    success: { status: 201, description: 'From now on it signs the owner in.', body: AddedPasskey },
    errors: ['already-exists'],
    doors: { mail: { route: 'POST /mailboxes/{mailbox}/passkeys', confirms: true } },
  }),
  changeMailPassword: declare({
    summary: 'Change the password of the mailbox',
    description: 'Mail apps that have the old one are signed out too. App passwords go on working.',
    body: ChangeMailPassword,
    success: { status: 204, description: 'It is changed. All other sessions end within two seconds.' },
    errors: ['sign-in-refused'],
    raw: true,
    doors: { mail: { route: 'PUT /mailboxes/{mailbox}/password', confirms: true } },
  }),
  startMailTotp: declare({
    summary: 'Begin to set up an authenticator app',
    description: 'It counts once a code of it was typed.',
    success: { status: 200, description: 'A secret, as a picture and as text.', body: NewTotp },
    doors: { mail: { route: 'POST /mailboxes/{mailbox}/authenticator-app', confirms: true } },
  }),
  getMailSession: declare({
    summary: 'Tell which mailboxes this browser is signed in to',
    success: { status: 200, description: 'The mailboxes, of which there may be none.', body: MailAccounts },
    raw: true,
    doors: { mail: { route: 'GET /session' } },
  }),
  signInToMailbox: declare({
    summary: 'Sign in to a mailbox',
    description:
      'A wrong password and an unknown address have one answer, in the same time. App passwords are for mail apps alone. Mailboxes that the browser is signed in to already stay open.',
    body: MailSignIn,
    success: {
      status: 200,
      description: 'The session, whose cookie has the name of the mailbox, or what comes next.',
      body: MailSignInAnswer,
    },
    errors: ['sign-in-refused'],
    raw: true,
    doors: { mail: { route: 'POST /session' } },
  }),
  signOutOfMailbox: declare({
    summary: 'Sign out of a mailbox',
    success: { status: 204, description: 'The session has ended. Those of other mailboxes go on.' },
    raw: true,
    doors: { mail: { route: 'DELETE /mailboxes/{mailbox}/session' } },
  }),
  proveMailSecondFactor: declare({
    summary: 'Sign in to a mailbox: the second step, with a code',
    description: 'Six digits of the app, each of which works once, or a recovery code.',
    body: SecondFactor,
    success: { status: 200, description: 'The session.', body: MailSignInAnswer },
    errors: ['sign-in-refused'],
    raw: true,
    doors: { mail: { route: 'POST /session/second-factor' } },
  }),
  askMailPasskey: declare({
    summary: 'Begin to sign in to a mailbox with a passkey',
    body: AskPasskey,
    success: { status: 200, description: 'What to ask the browser.', body: PasskeyQuestion },
    errors: ['sign-in-refused'],
    doors: { mail: { route: 'POST /session/passkey-question' } },
  }),
  proveMailPasskey: declare({
    summary: 'Sign in to a mailbox with a passkey',
    description: 'It is enough alone: the device has asked who holds it.',
    body: PasskeyAnswer,
    success: { status: 200, description: 'The session.', body: MailSignInAnswer },
    errors: ['sign-in-refused'],
    raw: true,
    doors: { mail: { route: 'POST /session/passkey' } },
  }),
  confirmMailSession: declare({
    summary: 'Say again who sits there',
    description:
      'With the password, a code of the app or a passkey. What answers `confirmation-required` then works for ten minutes.',
    body: ConfirmSession,
    success: { status: 200, description: 'It is the owner.', body: Confirmation },
    errors: ['sign-in-refused'],
    raw: true,
    doors: { mail: { route: 'POST /mailboxes/{mailbox}/session/confirmation' } },
  }),
  askMailConfirmationPasskey: declare({
    summary: 'Begin to say again who sits there, with a passkey',
    success: { status: 200, description: 'What to ask the browser.', body: PasskeyQuestion },
    doors: { mail: { route: 'POST /mailboxes/{mailbox}/session/confirmation/passkey-question' } },
  }),
};
