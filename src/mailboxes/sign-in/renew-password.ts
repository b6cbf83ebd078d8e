import { hashPassword } from '../../accounts/passwords/password.ts';
import type { Database } from '../../db/database.ts';
import { rowIs } from '../../db/row-is.ts';
import { moveWebSessions } from './web-sessions.ts';

/**
 * Replaces the hash of another system with our own hash of the same password, which has just been proved. Ends no session: sessions of mail
 * apps with the password open only after this, and sessions of browsers move to the new hash.
 * @returns the new hash; null if the stored hash is no longer the one that was proved, so a password that is changed at the same time stays
 * @throws AppError unavailable if too many passwords are being hashed
 */
export async function renewPassword(
  database: Database,
  { projectId, mailboxId }: { projectId: string; mailboxId: string },
  proved: { password: string; passwordHash: string },
): Promise<string | null> {
  const passwordHash = await hashPassword(proved.password);
  return database.transaction().execute(async (tx) => {
    const renewed = await tx
      .updateTable('mailboxes')
      .set({ passwordHash })
      .where((row) => rowIs(row, { projectId, id: mailboxId }))
      // A password that is changed at the same time wins.
      .where('passwordHash', '=', proved.passwordHash)
      .returning('id')
      .executeTakeFirst();
    if (renewed === undefined) return null;
    await moveWebSessions(tx, { projectId, mailboxId }, { from: proved.passwordHash, to: passwordHash });
    return passwordHash;
  });
}
