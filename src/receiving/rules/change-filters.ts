import { columnsOf } from '../../db/columns.ts';
import { type AuditFields, recordChange } from '../../accounts/audit.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { AppError } from '../../model/app-error.ts';
import { encodeId } from '../../model/ids.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';

/**
 * Changes the filters of a mailbox. Changes to one mailbox's filters are serialized, and the new version invalidates
 * cached filters.
 * @param entry the audit log entry, which is not written if the change returns false
 * @throws AppError not-found
 */
export async function changeFilters<T>(
  database: Database,
  mailbox: MailboxKey,
  entry: FilterAuditEntry,
  change: (tx: DatabaseTransaction) => Promise<T>,
): Promise<T> {
  return database.transaction().execute(async (tx) => {
    const address = await newVersion(tx, mailbox);
    if (address === null) throw new AppError('not-found', 'The mailbox is deleted.');
    const result = await change(tx);
    if (result !== false)
      await recordChange(tx, {
        of: { projectId: mailbox.projectId },
        ...entry,
        target: encodeId('mbx', mailbox.mailboxId),
        targetName: address,
      });
    return result;
  });
}

/** An entry for the audit log, which contains none of the owner's texts. */
export interface FilterAuditEntry {
  action: `mailbox.${string}`;
  before?: AuditFields;
  after?: AuditFields;
}

/** Prepares a filter change as `changeFilters` does, but within the caller's transaction. @returns false if the mailbox was deleted */
export async function changingFilters(tx: DatabaseTransaction, mailbox: MailboxKey): Promise<boolean> {
  return (await newVersion(tx, mailbox)) !== null;
}

/** @returns the address of the mailbox, or null if the mailbox was deleted */
async function newVersion(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
): Promise<string | null> {
  const { rows } = await columnsOf({ address: 'text' }).sql`
    update mailboxes set filing_version = filing_version % 2000000000 + 1
    where project_id = ${projectId} and id = ${mailboxId} returning local_part || '@' || domain as address`.execute(
    tx,
  );
  return rows[0]?.address ?? null;
}
