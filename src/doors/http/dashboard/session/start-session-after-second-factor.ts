import { finishReset } from '../../../../accounts/use-links.ts';
import type { ProvedUser } from '../../../../accounts/user-sign-in.ts';
import type { DashboardCall } from '../operation.ts';
import { startSession } from './start-session.ts';

/**
 * Starts the session of a user who has just proved the second factor. If the user came from a reset link, sets the new password first.
 * @throws AppError sign-in-refused, not-found
 */
export async function startSessionAfterSecondFactor(
  call: Pick<DashboardCall, 'services' | 'request' | 'reply' | 'isSecure'>,
  pending: {
    id: string;
    passwordHash: string | null;
    by: ProvedUser['by'];
    resetLinkId?: string;
    finish(): Promise<void>;
  },
): Promise<void> {
  const { id: userId, by, resetLinkId, finish } = pending;
  await finish();
  const passwordHash =
    resetLinkId === undefined
      ? pending.passwordHash
      : await finishReset(call.services.parts.database, userId, resetLinkId);
  await startSession(call, { userId, passwordHash, by, withSecondFactor: true });
}
