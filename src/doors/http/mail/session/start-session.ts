/** Starts the session of a user who has proved ownership of a mailbox. */
import type { MailSignInAnswer } from '../../../../contract/mail/session.ts';
import { MAX_OF_BROWSER } from '../../../../mailboxes/sign-in/limits.ts';
import type { ProvedOwner } from '../../../../mailboxes/sign-in/web-sign-in.ts';
import { AppError, validationError } from '../../../../model/app-error.ts';
import { clientOf } from '../../browser/client-of.ts';
import { mailTokenOf, setMailCookie } from '../cookies.ts';
import type { MailCall } from '../operation.ts';
import { accountOf } from './account-of.ts';
import { liveSessions } from './live-sessions.ts';

type Call = Pick<MailCall, 'services' | 'request' | 'reply' | 'isSecure'>;

/** @throws AppError sign-in-refused if the password was changed or the mailbox was deleted during the sign-in */
export async function startSession(call: Call, proved: ProvedOwner): Promise<MailSignInAnswer> {
  const { services, request, reply, isSecure } = call;
  const begun = await services.signIn.enter(proved, clientOf(request));
  const session = begun === null ? null : await services.sessions.lookUp(begun.token);
  if (begun === null || session === null) throw signInRejected();
  const { mailboxId } = session;
  // A new session replaces the previous session of the browser, whose token then no longer works.
  const before = mailTokenOf(request, mailboxId, isSecure);
  const replaced = before === null ? null : await services.sessions.find(before);
  if (replaced?.mailboxId === mailboxId) await services.sessions.end(replaced, replaced.sessionId);
  setMailCookie(reply, mailboxId, begun.token, isSecure);
  return { account: accountOf(session, begun.token) };
}

export function signInRejected(): AppError {
  return new AppError('sign-in-refused', 'The address or the password is wrong.');
}

/**
 * Limits the mailboxes per browser, because a browser sends the cookies of all mailboxes with each request. @throws AppError
 * validation-failed
 */
export async function assertMaySignInToMore(call: Call): Promise<void> {
  if ((await liveSessions(call)).size < MAX_OF_BROWSER) return;
  throw validationError({
    address: `this browser is already signed in to ${MAX_OF_BROWSER} mailboxes, which is the limit: sign out of one first`,
  });
}
