/** Implements the operations of `operations.ts`. */
import type { Run } from '../../accounts/calls.ts';
import { describePasskey } from '../../accounts/factors/describe-account.ts';
import type { Passkeys } from '../../accounts/factors/passkeys.ts';
import type { SecondFactors } from '../../accounts/factors/second-factors.ts';
import { pendingSignIn } from '../../accounts/factors/pending-sign-in.ts';
import type { Database } from '../../db/database.ts';
import { AppError } from '../../model/app-error.ts';
import { encodeId } from '../../model/ids.ts';
import type { Mailboxes } from '../mailboxes.ts';
import {
  createAppPassword,
  type ListedAppPassword,
  listAppPasswords,
  revokeAppPassword,
} from './app-passwords.ts';
import { endOtherSessionsAfterFirstFactor } from './first-factor.ts';
import { endMailboxSessions, readSignIns, removeMailboxSecondFactor } from './mailbox-access.ts';
import type { MailboxId } from './mailbox-realm.ts';
import type { MAILBOX_ACCESS_OPERATIONS } from './operations.ts';
import { describeOwnAccount, endOtherSessions, listOwnSessions } from './own-account.ts';
import { endWebSession } from './web-sessions.ts';

/** The objects that the operations work with. */
export interface MailboxAccessParts {
  database: Database;
  mailboxFactors: { second: SecondFactors<MailboxId>; passkeys: Passkeys<MailboxId> };
  mailboxes: Mailboxes;
  /** The URL of the web client. */
  mailUrl(): string;
}

export const run: Run<typeof MAILBOX_ACCESS_OPERATIONS, MailboxAccessParts> = {
  removeMailboxSecondFactor: ({ database }, { projectId, id }) =>
    removeMailboxSecondFactor(database, { projectId, mailboxId: id }),
  listAppPasswords: async ({ database, mailboxes }, { projectId, id }) => {
    if ((await mailboxes.get(projectId, id)) === null) return null;
    return appPasswordList(await listAppPasswords(database, { projectId, mailboxId: id }));
  },
  createAppPassword: async ({ database }, { mailbox, body }) => {
    const made = await createAppPassword(database, mailbox, body);
    return { id: encodeId('app', made.id), ...body, password: made.password };
  },
  revokeAppPassword: ({ database }, { projectId, id, partId }) =>
    revokeAppPassword(database, { projectId, mailboxId: id }, partId),
  getMailboxSignIns: ({ database }, { projectId, id }) => readSignIns(database, { projectId, mailboxId: id }),
  endMailboxSessions: ({ database }, { projectId, id }) =>
    endMailboxSessions(database, { projectId, mailboxId: id }),
  getMailAccount: async ({ database, mailboxFactors: { passkeys }, mailUrl }, { session }) => ({
    ...(await describeOwnAccount({ database, passkeys }, session)),
    passkeys_at: new URL(mailUrl()).origin,
  }),
  listMailSessions: ({ database }, { session }) => listOwnSessions(database, session),
  endOtherMailSessions: ({ database }, { session }) => endOtherSessions(database, session),
  endMailSession: ({ database }, { mailbox, id }) => endWebSession(database, mailbox, id),
  listOwnAppPasswords: async ({ database }, { mailbox }) =>
    appPasswordList(await listAppPasswords(database, mailbox)),
  revokeOwnAppPassword: ({ database }, { mailbox, id }) => revokeAppPassword(database, mailbox, id),
  confirmMailTotp: async ({ database, mailboxFactors }, { mailbox, session, body: { ticket, code } }) => {
    const recoveryCodes = await mailboxFactors.second.confirmTotp(mailbox, ticket, code);
    await endOtherSessionsAfterFirstFactor(database, session, recoveryCodes);
    return { recovery_codes: recoveryCodes };
  },
  removeMailTotp: async ({ mailboxFactors }, { mailbox }) => {
    if (!(await mailboxFactors.second.removeTotp(mailbox)))
      throw new AppError('not-found', 'No authenticator app is set up.');
  },
  makeMailRecoveryCodes: async ({ mailboxFactors }, { mailbox }) => ({
    recovery_codes: await mailboxFactors.second.newRecoveryCodes(mailbox),
  }),
  startMailTotp: ({ mailboxFactors }, { mailbox, session }) =>
    mailboxFactors.second.startTotp(mailbox, session.address),
  askMailPasskey: async ({ mailboxFactors: { second, passkeys } }, { body: { ticket } }) =>
    passkeys.startProving(ticket === undefined ? null : (await pendingSignIn(second, ticket)).id),
  addMailPasskey: async (
    { database, mailboxFactors },
    { mailbox, session, body: { name, ...answer }, origin },
  ) => {
    const { passkey, recoveryCodes } = await mailboxFactors.passkeys.add(mailbox, name, {
      ...answer,
      origin,
    });
    await endOtherSessionsAfterFirstFactor(database, session, recoveryCodes);
    return { passkey: describePasskey(passkey), recovery_codes: recoveryCodes };
  },
  startMailPasskey: ({ mailboxFactors }, { mailbox, session: { address, displayName } }) =>
    mailboxFactors.passkeys.startAdding(mailbox, { email: address, name: displayName ?? address }),
  askMailConfirmationPasskey: ({ mailboxFactors }, { mailbox }) =>
    mailboxFactors.passkeys.startProving(mailbox),
  renameMailPasskey: ({ mailboxFactors }, { mailbox, id, body }) =>
    mailboxFactors.passkeys.rename(mailbox, id, body.name),
  removeMailPasskey: ({ mailboxFactors }, { mailbox, id }) => mailboxFactors.passkeys.remove(mailbox, id),
};

function appPasswordList(found: readonly ListedAppPassword[]) {
  return {
    data: found.map(({ id, name, access, createdAt, lastUsedAt }) => ({
      id: encodeId('app', id),
      name,
      access,
      created_at: createdAt.toISOString(),
      last_used_at: lastUsedAt?.toISOString() ?? null,
    })),
  };
}
