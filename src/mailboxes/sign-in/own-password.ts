import { recordChange } from '../../accounts/audit.ts';
import { hashPassword, passwordFault } from '../../accounts/passwords/password.ts';
import type { Database } from '../../db/database.ts';
import { rowIs } from '../../db/row-is.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import { encodeId } from '../../model/ids.ts';
import type { WebSession } from '../../accounts/calls.ts';
import { endOtherWebSessions, keepWebSession } from './web-sessions.ts';

/**
 * Changes the owner's password. All other sessions end, in browsers and in mail apps.
 * @param provedHash the hash of the password that the owner has just entered
 * @throws AppError validation-failed; sign-in-refused if the entered password was changed in the meantime
 */
export async function changeOwnPassword(
  database: Database,
  { projectId, mailboxId, sessionId }: Pick<WebSession, 'projectId' | 'mailboxId' | 'sessionId'>,
  { password, provedHash }: { password: string; provedHash: string },
): Promise<void> {
  const fault = passwordFault(password);
  if (fault !== null) throw validationError({ password: fault });
  const passwordHash = await hashPassword(password);
  await database.transaction().execute(async (tx) => {
    const changed = await tx
      .updateTable('mailboxes')
      .set({ passwordHash })
      .where((row) => rowIs(row, { projectId, id: mailboxId }))
      // The hash must still be the one that was proved. Attack: at the moment when the owner changes the password to lock out an intruder,
      // the intruder sets another password.
      .where('passwordHash', '=', provedHash)
      .returning(['localPart', 'domain'])
      .executeTakeFirst();
    if (changed === undefined)
      throw new AppError('sign-in-refused', 'The password was just changed elsewhere. Sign in again.');
    await endOtherWebSessions(tx, { projectId, mailboxId }, sessionId);
    await keepWebSession(tx, { projectId, mailboxId, sessionId }, passwordHash);
    await recordChange(tx, {
      of: { projectId },
      action: 'mailbox.change-password',
      target: encodeId('mbx', mailboxId),
      targetName: `${changed.localPart}@${changed.domain}`,
    });
  });
}
