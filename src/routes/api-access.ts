/** Whether routes may pass mail of a mailbox to programs. Only an admin can allow it, and the mailbox's owner sees it. */
import { recordChange } from '../accounts/audit.ts';
import type { ApiAccess } from '../contract/dashboard/routes.ts';
import type { Database } from '../db/database.ts';
import { rowIs } from '../db/row-is.ts';
import { addressOf } from '../mailboxes/local-part.ts';
import { encodeId } from '../model/ids.ts';
import type { MailboxKey } from '../store/lock-mailboxes.ts';

/** @returns null if the project has no such mailbox, like `setApiAccess` */
export async function readApiAccess(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
): Promise<ApiAccess | null> {
  const row = await database
    .selectFrom('mailboxes')
    .select('apiAccess')
    .where((mailbox) => rowIs(mailbox, { projectId, id: mailboxId }))
    .executeTakeFirst();
  return row === undefined ? null : { api_access: row.apiAccess };
}

/** If access is forbidden, the routes of the mailbox stay and get nothing. */
export function setApiAccess(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  { api_access: apiAccess }: ApiAccess,
): Promise<ApiAccess | null> {
  return database.transaction().execute(async (tx) => {
    const row = await tx
      .selectFrom('mailboxes')
      .select(['apiAccess', 'localPart', 'domain'])
      .where((mailbox) => rowIs(mailbox, { projectId, id: mailboxId }))
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (row === undefined) return null;
    if (row.apiAccess === apiAccess) return { api_access: apiAccess };
    await tx
      .updateTable('mailboxes')
      .set({ apiAccess })
      .where((mailbox) => rowIs(mailbox, { projectId, id: mailboxId }))
      .execute();
    await recordChange(tx, {
      of: { projectId },
      action: 'mailbox.api-access',
      target: encodeId('mbx', mailboxId),
      targetName: addressOf(row),
      before: { api_access: row.apiAccess },
      after: { api_access: apiAccess },
    });
    return { api_access: apiAccess };
  });
}
