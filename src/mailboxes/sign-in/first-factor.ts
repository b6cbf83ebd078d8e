import type { WebSession } from '../../accounts/calls.ts';
import type { Database } from '../../db/database.ts';
import { endOtherSessions } from './own-account.ts';

/**
 * Ends the other sessions if the account had no second factor before. Attack: an intruder who has signed in with the password would stay
 * signed in.
 * @param recoveryCodes the recovery codes, which are created together with an account's first factor; null if the account already had a
 * second factor
 */
export async function endOtherSessionsAfterFirstFactor(
  database: Database,
  session: WebSession,
  recoveryCodes: readonly string[] | null,
): Promise<void> {
  if (recoveryCodes !== null) await endOtherSessions(database, session);
}
