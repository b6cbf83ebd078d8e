import type { WebSession } from '../../accounts/calls.ts';
import type { Database } from '../../db/database.ts';
import { endOtherSessions } from './own-account.ts';

/**
 * After a second factor was added. Attack: who is in with the password alone would stay in.
 * @param recoveryCodes that came with it: it is the first
 */
export async function endBefore(
  database: Database,
  session: WebSession,
  recoveryCodes: readonly string[] | null,
): Promise<void> {
  if (recoveryCodes !== null) await endOtherSessions(database, session);
}
