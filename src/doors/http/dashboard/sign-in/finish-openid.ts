import { FACTOR_OPERATIONS } from '../../../../accounts/factors/operations.ts';
import { dashboardRun } from '../operation.ts';
import { nextStep } from './next-step.ts';

export const finishOpenId = dashboardRun(FACTOR_OPERATIONS.finishOpenId, async (call) => {
  const { ticket, query } = call.body;
  const { userId, returnTo } = await call.services.parts.userFactors.provider().finish(ticket, query);
  const next = await nextStep(call, { userId, passwordHash: null, by: 'openid' });
  return { ...next, return_to: returnTo };
});
