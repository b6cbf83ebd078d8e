/** Starts the session of an authenticated user. */
import { endSessionByToken } from '../../../../accounts/sessions.ts';
import type { ProvedUser } from '../../../../accounts/user-sign-in.ts';
import { AppError } from '../../../../model/app-error.ts';
import { clientOf } from '../../browser/client-of.ts';
import { sessionTokenOf, setSessionCookie } from '../cookies.ts';
import type { DashboardCall } from '../operation.ts';

/** @throws AppError sign-in-refused if the password was changed or the user was deleted during the sign-in */
export async function startSession(
  { services, request, reply, isSecure }: Pick<DashboardCall, 'services' | 'request' | 'reply' | 'isSecure'>,
  proved: ProvedUser,
): Promise<void> {
  const session = await services.signIn.enter(proved, clientOf(request));
  if (session === null) throw signInRejected();
  // A new session replaces the previous session of the browser, whose token then no longer works.
  const before = sessionTokenOf(request, isSecure);
  if (before !== null) await endSessionByToken(services.parts.database, before);
  setSessionCookie(reply, session.token, isSecure);
}

export function signInRejected(): AppError {
  return new AppError('sign-in-refused', 'The email address or the password is wrong.');
}
