import { FACTOR_OPERATIONS } from '../../../../accounts/factors/operations.ts';
import { dashboardRun } from '../operation.ts';
import { openIdOf } from './openid-of.ts';

export const startOpenId = dashboardRun(FACTOR_OPERATIONS.startOpenId, ({ services, body }) =>
  openIdOf(services).start({ returnTo: body.return_to, confirms: null }),
);
