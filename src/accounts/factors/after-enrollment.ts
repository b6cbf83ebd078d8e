import type { Database } from '../../db/database.ts';
import type { Principal } from '../principal.ts';
import { confirmSession, endSessions } from '../sessions.ts';

/**
 * Runs after the session has added and proved a second factor. If this is the user's first second factor, the user's other sessions end.
 * Attack: a session that was begun with only a stolen password continues without proving the factor.
 * @param isFirst whether the user had no second factor before
 */
export async function afterEnrollment(
  database: Database,
  principal: Pick<Principal, 'userId' | 'sessionId'>,
  isFirst: boolean,
): Promise<void> {
  await confirmSession(database, principal, { withSecondFactor: true });
  if (isFirst) await endSessions(database, principal.userId, principal.sessionId);
}
