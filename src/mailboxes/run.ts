/** Implements the operations of `operations.ts`. */
import type { Run } from '../accounts/calls.ts';
import type { Database } from '../db/database.ts';
import type { Aliases } from './aliases.ts';
import type { DashboardMailboxes } from './dashboard-mailboxes.ts';
import type { Mailboxes } from './mailboxes.ts';
import { listDashboardAliases } from './dashboard-aliases.ts';
import { unlockSending } from './sending-lock.ts';
import { setPassword } from './set-password.ts';
import { unlockMailbox } from './sign-in/unlock.ts';
import type { MAILBOX_OPERATIONS } from './operations.ts';

/** The objects that the operations work with. */
export interface MailboxParts {
  aliases: Aliases;
  database: Database;
  mailboxPages: DashboardMailboxes;
  mailboxes: Mailboxes;
}

export const run: Run<typeof MAILBOX_OPERATIONS, MailboxParts> = {
  listMailboxes: ({ mailboxes }, { projectId }) => mailboxes.list(projectId),
  listMailboxPage: ({ mailboxPages }, { projectId, query }) => mailboxPages.list(projectId, query),
  createMailbox: ({ mailboxes }, { projectId, body }) => mailboxes.create(projectId, body),
  getMailbox: ({ mailboxes }, { projectId, id }) => mailboxes.get(projectId, id),
  getMailboxDetails: ({ mailboxPages }, { projectId, id }) => mailboxPages.get(projectId, id),
  updateMailbox: ({ mailboxes }, { projectId, id, body }) => mailboxes.update(projectId, id, body),
  changeMailbox: async ({ mailboxPages, mailboxes }, { projectId, id, body }) => {
    if ((await mailboxes.update(projectId, id, body)) === null) return null;
    return mailboxPages.get(projectId, id);
  },
  deleteMailbox: ({ mailboxes }, { projectId, id }) => mailboxes.delete(projectId, id),
  setMailboxPassword: async ({ database }, { projectId, id, body }) => {
    const mailbox = { projectId, mailboxId: id };
    const { generated } = await setPassword(database, mailbox, body.password ?? null);
    return { password: generated };
  },
  unlockMailbox: async ({ database }, { projectId, id }) => {
    await unlockMailbox(database, { projectId, mailboxId: id });
    return { was_locked_for_sending: await unlockSending(database, projectId, id) };
  },
  listAliases: ({ aliases }, { projectId }) => aliases.list(projectId),
  listAliasesWithMailboxes: ({ database }, { projectId }) => listDashboardAliases(database, projectId),
  createAlias: ({ aliases }, { projectId, body }) => aliases.create(projectId, body),
  getAlias: ({ aliases }, { projectId, id }) => aliases.get(projectId, id),
  updateAlias: ({ aliases }, { projectId, id, body }) => aliases.update(projectId, id, body),
  deleteAlias: ({ aliases }, { projectId, id }) => aliases.delete(projectId, id),
};
