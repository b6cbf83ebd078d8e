import { FACTOR_OPERATIONS } from '../../../../accounts/factors/operations.ts';
import { dashboardRun } from '../operation.ts';
import { nextStep } from '../sign-in/next-step.ts';
import { prove } from './prove.ts';

export const signIn = dashboardRun(FACTOR_OPERATIONS.signIn, async (call) => {
  const { email, password } = call.body;
  return nextStep(call, await prove(call, email, password));
});
