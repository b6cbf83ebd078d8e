import { linkInvalid } from '../../../../accounts/sign-in-links.ts';
import type { ProvedUser } from '../../../../accounts/user-sign-in.ts';
import type { SignInAnswer } from '../../../../contract/dashboard/users.ts';
import type { DashboardCall } from '../operation.ts';
import { startSession } from '../session/start-session.ts';

/**
 * The step after the password or the link in an email. Users with a second factor must prove it, and all other users get a session. The
 * second factor is also required after a link, because an attacker who reads the user's mail does not have the second factor.
 * @throws AppError sign-in-refused
 */
export async function nextStep(call: DashboardCall, proved: ProvedUser): Promise<SignInAnswer> {
  const { second } = call.services.parts.userFactors;
  const methods = await second.methods(proved.userId);
  if (methods.length > 0)
    return { next: 'second-factor', ticket: second.ticketFor(proved.userId, proved), methods };
  // The user had a second factor when the reset link was opened, but it has been removed since. Reject the link, because it is valid only
  // together with that factor.
  if (proved.resetLinkId !== undefined) throw linkInvalid();
  await startSession(call, proved);
  return { next: 'done' };
}
