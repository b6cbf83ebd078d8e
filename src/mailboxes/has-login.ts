import type { DatabaseTransaction } from '../db/database.ts';
import { rowIs } from '../db/row-is.ts';
import { validationError } from '../model/app-error.ts';

/** @throws AppError validation-failed if the mailbox was created as shared, and therefore never gets a password */
export async function assertHasLogin(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: { projectId: string; mailboxId: string },
): Promise<void> {
  const shared = await tx
    .selectFrom('mailboxes')
    .select('id')
    .where((row) => rowIs(row, { projectId, id: mailboxId, isShared: true }))
    .executeTakeFirst();
  if (shared !== undefined)
    throw validationError({
      password:
        'cannot be set: the mailbox is shared and has no login of its own. Add members instead, who open it with their own logins',
    });
}
