import { columnsOf } from '../../db/columns.ts';
import type { DatabaseTransaction } from '../../db/database.ts';
import { AppError } from '../../model/app-error.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';

const ADDRESS = columnsOf({ address: 'text' });

/** Locks the settings of a mailbox until the end of the transaction. @returns its address @throws AppError not-found if it was deleted */
export async function lockMailboxRow(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
): Promise<string> {
  const { rows } = await ADDRESS.sql`
    select local_part || '@' || domain as address from mailboxes
    where project_id = ${projectId} and id = ${mailboxId} for no key update`.execute(tx);
  const [found] = rows;
  if (found === undefined) throw new AppError('not-found', 'The mailbox is deleted.');
  return found.address;
}
