import { FACTOR_OPERATIONS } from '../../../../accounts/factors/operations.ts';
import { csrfTokenOf } from '../../browser/csrf.ts';
import { dashboardRun } from '../operation.ts';

export const getSession = dashboardRun(
  FACTOR_OPERATIONS.getSession,
  async ({ services, principal, sessionToken }) => {
    // The cached session may be older than a second factor, or than a sign-in requirement of an organization.
    const now = (await services.signedIn.lookUp(sessionToken, {}))?.user ?? principal;
    return services.describeSession(now, csrfTokenOf(sessionToken));
  },
);
