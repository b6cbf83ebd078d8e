/** Settings of a mailbox that only the command line has. */
import { recordDifferences } from '../accounts/audit.ts';
import type { Database } from '../db/database.ts';
import { rowIs } from '../db/row-is.ts';
import { AppError } from '../model/app-error.ts';
import { encodeId } from '../model/ids.ts';
import { findMailbox } from './find-mailbox.ts';

interface MailboxSettings {
  /** What was put into Junk and Trash goes after 30 days. */
  emptiesFolders: boolean;
  /** What it sends is put into Sent too. */
  saveSent: boolean;
}

/**
 * @param address of the mailbox, in any spelling
 * @returns the settings as they are now, and the address as the mailbox has it
 * @throws AppError validation-failed, not-found
 */
export async function changeMailboxSettings(
  database: Database,
  projectId: string,
  address: string,
  changes: Partial<MailboxSettings>,
): Promise<MailboxSettings & { address: string }> {
  const mailboxId = await findMailbox(database, projectId, address);
  return database.transaction().execute(async (tx) => {
    const found = await tx
      .selectFrom('mailboxes')
      .select(['localPart', 'domain', 'emptiesFolders', 'saveSent'])
      .where((row) => rowIs(row, { projectId, id: mailboxId }))
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (found === undefined) throw new AppError('not-found', 'The mailbox is deleted.');
    await tx
      .updateTable('mailboxes')
      .set(changes)
      .where((row) => rowIs(row, { projectId, id: mailboxId }))
      .execute();
    const { localPart, domain, ...before } = found;
    const [shown, settings] = [`${localPart}@${domain}`, { ...before, ...changes }];
    const target = encodeId('mbx', mailboxId);
    const change = { of: { projectId }, action: 'mailbox.update', target, targetName: shown } as const;
    await recordDifferences(tx, change, auditedFields(before), auditedFields(settings));
    return { address: shown, ...settings };
  });
}

function auditedFields({ emptiesFolders, saveSent }: MailboxSettings) {
  return { empty_folders: emptiesFolders, save_sent: saveSent };
}
