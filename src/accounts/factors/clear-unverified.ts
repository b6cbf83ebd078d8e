import type { DatabaseTransaction } from '../../db/database.ts';
import { endSessions } from '../sessions.ts';
import { isUserUnverified, setVerified } from '../verification.ts';
import { deleteFactors, lockFactors } from './factors.ts';
import { USERS } from './user-realm.ts';

/**
 * Called after the user has proved ownership of the address, by a mailed link or at the OpenID provider. If the account was unverified, its
 * password, sessions, passkeys, authenticator app and recovery codes are removed, because another person may have set up the account. The
 * account is then marked as verified.
 * @returns false if the account was verified before, or counts as verified, and therefore keeps its factors
 */
export async function clearUnverified(tx: DatabaseTransaction, userId: string): Promise<boolean> {
  await lockFactors(tx, USERS, userId);
  const wasUnverified = await isUserUnverified(tx, userId);
  if (wasUnverified) {
    await deleteFactors(tx, USERS, userId);
    await tx.updateTable('users').set({ passwordHash: null }).where('id', '=', userId).execute();
    await endSessions(tx, userId, null);
  }
  await setVerified(tx, userId);
  return wasUnverified;
}
