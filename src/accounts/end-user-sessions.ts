import type { Database } from '../db/database.ts';
import { endSession, endSessions } from './sessions.ts';
import { recordUserChange } from './user-changes.ts';

/**
 * Signs a user out, for operators of the installation.
 * @param sessionId uuid of the session to end; null for all sessions of the user
 * @returns the number of ended sessions
 */
export async function endUserSessions(
  database: Database,
  userId: string,
  sessionId: string | null,
): Promise<number> {
  return database.transaction().execute(async (tx) => {
    const ended =
      sessionId === null
        ? await endSessions(tx, userId, null)
        : Number(await endSession(tx, userId, sessionId));
    if (ended > 0)
      await recordUserChange(tx, userId, {
        action: 'member.end-sessions',
        after: { sessions: sessionId === null ? 'all' : 'one' },
      });
    return ended;
  });
}
