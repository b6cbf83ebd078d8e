/** Settings of a mailbox that only the command line has. */
import type { Database } from '../db/database.ts';
import { AppError } from '../model/app-error.ts';
import { findMailbox } from './find-mailbox.ts';

interface MailboxSettings {
  /** What was put into Junk and Trash goes after 30 days. */
  emptiesFolders: boolean;
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
  changes: MailboxSettings,
): Promise<MailboxSettings & { address: string }> {
  const mailboxId = await findMailbox(database, projectId, address);
  const changed = await database
    .updateTable('mailboxes')
    .set(changes)
    .where('projectId', '=', projectId)
    .where('id', '=', mailboxId)
    .returning(['localPart', 'domain', 'emptiesFolders'])
    .executeTakeFirst();
  if (changed === undefined) throw new AppError('not-found', 'The mailbox is deleted.');
  return {
    address: `${changed.localPart}@${changed.domain}`,
    emptiesFolders: changed.emptiesFolders,
  };
}
