import { linkInvalid } from '../../../../accounts/sign-in-links.ts';
import type { ProvedUser } from '../../../../accounts/user-sign-in.ts';
import type { SignInAnswer } from '../../../../contract/dashboard/users.ts';
import type { DashboardCall } from '../operation.ts';
import { enter } from '../session/enter.ts';

/**
 * The step after the password or link: a session, or the second factor for users who have one. This also applies to links in emails: an
 * attacker who reads the user's mail does not have the second factor.
 * @throws AppError sign-in-refused
 */
export async function nextStep(call: DashboardCall, proved: ProvedUser): Promise<SignInAnswer> {
  const { second } = call.services.parts.userFactors;
  const methods = await second.methods(proved.userId);
  if (methods.length > 0)
    return { next: 'second-factor', ticket: second.ticketFor(proved.userId, proved), methods };
  // The second factor was removed a moment ago. A reset link is valid only together with it.
  if (proved.resetLinkId !== undefined) throw linkInvalid();
  await enter(call, proved);
  return { next: 'done' };
}
