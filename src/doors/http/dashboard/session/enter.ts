/** Starts the session of an authenticated user. */
import { endSessionByToken } from '../../../../accounts/sessions.ts';
import type { ProvedUser } from '../../../../accounts/user-sign-in.ts';
import { AppError } from '../../../../model/app-error.ts';
import { clientOf } from '../../browser/client-of.ts';
import { sessionTokenOf, setSessionCookie } from '../cookies.ts';
import type { DashboardCall } from '../operation.ts';

/** @throws AppError sign-in-refused if the password was changed or the user deleted at this very moment */
export async function enter(
  { services, request, reply, isSecure }: Pick<DashboardCall, 'services' | 'request' | 'reply' | 'isSecure'>,
  proved: ProvedUser,
): Promise<void> {
  const session = await services.signIn.enter(proved, clientOf(request));
  if (session === null) throw signInRejected();
  // Signing in ends the browser's previous session, so that its token cannot be used any more.
  const before = sessionTokenOf(request, isSecure);
  if (before !== null) await endSessionByToken(services.parts.database, before);
  setSessionCookie(reply, session.token, isSecure);
}

export function signInRejected(): AppError {
  return new AppError('sign-in-refused', 'The email address or the password is wrong.');
}
