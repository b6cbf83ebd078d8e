import { FACTOR_OPERATIONS } from '../../../../accounts/factors/operations.ts';
import { totpAnswer } from '../../browser/totp-answer.ts';
import { dashboardRun } from '../operation.ts';

export const startTotp = dashboardRun(FACTOR_OPERATIONS.startTotp, async ({ services, principal }) => {
  return totpAnswer(await services.parts.userFactors.second.startTotp(principal.userId, principal.email));
});
