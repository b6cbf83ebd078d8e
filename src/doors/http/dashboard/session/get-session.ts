import { FACTOR_OPERATIONS } from '../../../../accounts/factors/operations.ts';
import { csrfTokenOf } from '../../browser/csrf.ts';
import { dashboardRun } from '../operation.ts';

export const getSession = dashboardRun(
  FACTOR_OPERATIONS.getSession,
  async ({ services, principal, sessionToken }) => {
    // The cached session may be older than the user's second factor, or than an organization's sign-in requirement.
    const now = (await services.signedIn.lookUp(sessionToken, {}))?.user ?? principal;
    return services.describeSession(now, csrfTokenOf(sessionToken));
  },
);
