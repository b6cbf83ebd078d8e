import type { Database } from '../../db/database.ts';
import type { Principal } from '../principal.ts';
import { confirmSession, endSessions } from '../sessions.ts';

/**
 * Called after a user has added a second factor and proved it in this session. If it is the user's first second factor, all other sessions
 * of the user end. Attack: someone who began a session with only the stolen password would otherwise stay signed in without proving the
 * factor.
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
