import type { Database } from '../../db/database.ts';
import type { Principal } from '../principal.ts';
import { confirmSession, endSessions } from '../sessions.ts';

/**
 * The session has just proved the factor that was added. With the first one the other sessions end. Attack: a session that was begun with a stolen
 * password alone goes on as if it had proved the factor.
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
