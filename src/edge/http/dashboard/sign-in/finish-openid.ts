import { FinishedOpenId, FinishOpenId } from '../../../../contract/dashboard/factors.ts';
import { dashboardOperation } from '../operation.ts';
import { nextStep } from './next-step.ts';
import { openIdOf } from './openid-of.ts';

export const finishOpenId = dashboardOperation({
  method: 'POST',
  path: '/session/openid',
  role: 'anyone',
  summary: 'Sign in with what the OpenID provider says',
  description:
    'For users whose address the provider has verified, and for those who are invited. Nobody becomes a user by it.',
  body: FinishOpenId,
  success: { status: 200, description: 'What comes next.', body: FinishedOpenId },
  errors: ['sign-in-refused', 'not-found'],
  async run(call) {
    const { ticket, query } = call.body;
    const { userId, returnTo } = await openIdOf(call.services).finish(ticket, query);
    const next = await nextStep(call, { userId, passwordHash: null, by: 'openid' });
    return { ...next, return_to: returnTo };
  },
});
