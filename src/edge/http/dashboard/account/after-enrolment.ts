import type { Principal } from '../../../../accounts/principal.ts';
import type { DashboardServices } from '../services.ts';

/**
 * The session has just proved the factor that was added. With the first one the other sessions end. Attack: a session that was begun with a stolen
 * password alone goes on as if it had proved the factor.
 * @param isFirst the user had no second factor before
 */
export async function afterEnrolment(
  { sessions }: Pick<DashboardServices, 'sessions'>,
  principal: Pick<Principal, 'userId' | 'sessionId'>,
  isFirst: boolean,
): Promise<void> {
  await sessions.confirm(principal, { withSecondFactor: true });
  if (isFirst) await sessions.endAll(principal.userId, principal.sessionId);
}
