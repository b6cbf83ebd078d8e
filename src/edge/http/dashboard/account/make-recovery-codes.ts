import { RecoveryCodes } from '../../../../contract/dashboard/factors.ts';
import { dashboardOperation } from '../operation.ts';

export const makeRecoveryCodes = dashboardOperation({
  method: 'POST',
  path: '/user/recovery-codes',
  role: 'signed-in',
  serves: 'second-factor',
  confirms: true,
  summary: 'Make other recovery codes',
  success: { status: 200, description: 'Ten codes, each of which works once.', body: RecoveryCodes },
  run: async ({ services, principal }) => ({
    recovery_codes: await services.factors.second.newRecoveryCodes(principal.userId),
  }),
});
