import { SYSTEM_OPERATIONS } from '../../../../installation/system/operations.ts';
import { requireOperatorSignIn as requireOfOperators } from '../../../../accounts/required-sign-in.ts';
import { dashboardRun } from '../operation.ts';
import { assertProvider } from '../sign-in/openid-of.ts';

export const requireOperatorSignIn = dashboardRun(
  SYSTEM_OPERATIONS.requireOperatorSignIn,
  async ({ services, principal, sessionToken, body: { required } }) => {
    assertProvider(services, required);
    // The cached session may be older than its second factor.
    const now = await services.signedIn.look(sessionToken, {});
    await requireOfOperators(services.parts.database, required, now?.user ?? principal);
  },
);
