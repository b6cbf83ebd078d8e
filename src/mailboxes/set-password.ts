/** Sets the passwords of existing mailboxes, for the command line and the dashboard. */
import { recordChange } from '../accounts/audit.ts';
import type { Database } from '../db/database.ts';
import { rowIs } from '../db/row-is.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { encodeId } from '../model/ids.ts';
import { generatePassword, hashPassword, passwordFault } from '../accounts/passwords/password.ts';

/**
 * Sets the password of a mailbox. Sessions with the old password end within two seconds.
 *
 * @param password null to generate a password
 * @returns the stored address of the mailbox. Also the password if it was generated, because only its hash is stored
 * @throws AppError validation-failed, not-found
 */
export async function setPassword(
  database: Database,
  { projectId, mailboxId }: { projectId: string; mailboxId: string },
  password: string | null,
): Promise<{ address: string; generated: string | null }> {
  const fault = password === null ? null : passwordFault(password);
  if (fault !== null) throw validationError({ password: fault });
  const generated = password === null ? generatePassword() : null;
  const passwordHash = await hashPassword(password ?? generated ?? '');
  return database.transaction().execute(async (tx) => {
    const found = await tx
      .updateTable('mailboxes')
      .set({ passwordHash })
      .where((row) => rowIs(row, { projectId, id: mailboxId }))
      .returning(['localPart', 'domain'])
      .executeTakeFirst();
    if (found === undefined) throw new AppError('not-found', 'There is no such mailbox in the project.');
    const shown = `${found.localPart}@${found.domain}`;
    await recordChange(tx, {
      of: { projectId },
      action: 'mailbox.set-password',
      target: encodeId('mbx', mailboxId),
      targetName: shown,
    });
    return { address: shown, generated };
  });
}
