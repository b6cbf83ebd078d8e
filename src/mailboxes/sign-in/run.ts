/** Carries out what `operations.ts` declares. */
import type { Run } from '../../accounts/calls.ts';
import type { Database } from '../../db/database.ts';
import type { Mailboxes } from '../mailboxes.ts';
import { createAppPassword, listAppPasswords, revokeAppPassword } from './app-passwords.ts';
import { endMailboxSessions, readSignIns, removeMailboxSecondFactor } from './mailbox-access.ts';
import { encodeId } from '../../model/ids.ts';
import type { MAILBOX_ACCESS_OPERATIONS } from './operations.ts';

/** What the operations need of the core. */
export interface MailboxAccessParts {
  database: Database;
  mailboxes: Mailboxes;
}

export const run: Run<typeof MAILBOX_ACCESS_OPERATIONS, MailboxAccessParts> = {
  removeMailboxSecondFactor: ({ database }, { projectId, id }) =>
    removeMailboxSecondFactor(database, { projectId, mailboxId: id }),
  listAppPasswords: async ({ database, mailboxes }, { projectId, id }) => {
    if ((await mailboxes.get(projectId, id)) === null) return null;
    const found = await listAppPasswords(database, { projectId, mailboxId: id });
    return {
      data: found.map(({ id: appId, name, access, createdAt, lastUsedAt }) => ({
        id: encodeId('app', appId),
        name,
        access,
        created_at: createdAt.toISOString(),
        last_used_at: lastUsedAt?.toISOString() ?? null,
      })),
    };
  },
  createAppPassword: async ({ database }, { projectId, id, body }) => {
    const made = await createAppPassword(database, { projectId, mailboxId: id }, body);
    return { id: encodeId('app', made.id), ...body, password: made.password };
  },
  revokeAppPassword: ({ database }, { projectId, id, partId }) =>
    revokeAppPassword(database, { projectId, mailboxId: id }, partId),
  getMailboxSignIns: ({ database }, { projectId, id }) => readSignIns(database, { projectId, mailboxId: id }),
  endMailboxSessions: ({ database }, { projectId, id }) =>
    endMailboxSessions(database, { projectId, mailboxId: id }),
};
