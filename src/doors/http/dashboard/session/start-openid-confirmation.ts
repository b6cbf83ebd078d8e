import { FACTOR_OPERATIONS } from '../../../../accounts/factors/operations.ts';
import { dashboardRun } from '../operation.ts';
import { openIdOf } from '../sign-in/openid-of.ts';

export const startOpenIdConfirmation = dashboardRun(
  FACTOR_OPERATIONS.startOpenIdConfirmation,
  ({ services, principal, body }) =>
    openIdOf(services).start({ returnTo: body.return_to, confirms: principal.sessionId }),
);
