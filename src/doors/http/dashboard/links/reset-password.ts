import { ACCOUNT_OPERATIONS } from '../../../../accounts/operations.ts';
import { resetPassword as setPasswordByLink } from '../../../../accounts/use-links.ts';
import { dashboardRun } from '../operation.ts';
import { nextStep } from '../sign-in/next-step.ts';

export const resetPassword = dashboardRun(ACCOUNT_OPERATIONS.resetPassword, async (call) => {
  const { token, password } = call.body;
  return nextStep(call, await setPasswordByLink(call.services.parts.database, token, password));
});
