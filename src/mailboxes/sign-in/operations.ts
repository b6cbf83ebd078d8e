/** What may be asked of this room. `run.ts` carries it out. */
import {
  AppPasswordList,
  CreateAppPassword,
  CreatedAppPassword,
  MailboxSignIns,
} from '../../contract/dashboard/mailboxes.ts';
import { declare } from '../../contract/operation.ts';

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
  listAppPasswords: declare({
    summary: 'App passwords of a mailbox, without their secrets',
    success: { status: 200, description: 'The app passwords.', body: AppPasswordList },
    doors: {
      dashboard: {
        route: 'GET /projects/{project}/mailboxes/{id}/app-passwords',
        resource: { name: 'mailbox', prefix: 'mbx' },
        role: 'developer',
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
};
