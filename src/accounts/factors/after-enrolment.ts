import type { Database } from '../../db/database.ts';
import type { Principal } from '../principal.ts';
import { confirmSession, endSessions } from '../sessions.ts';

/**
 * Runs after a second factor was added, which the session has just proved. After the first factor, the user's other sessions end. Attack: a
 * session that was begun with only a stolen password continues as if it had proved the factor.
 * @param isFirst the user had no second factor before
 */
export async function afterEnrolment(
  database: Database,
  principal: Pick<Principal, 'userId' | 'sessionId'>,
  isFirst: boolean,
): Promise<void> {
  await confirmSession(database, principal, { withSecondFactor: true });
  if (isFirst) await endSessions(database, principal.userId, principal.sessionId);
}
