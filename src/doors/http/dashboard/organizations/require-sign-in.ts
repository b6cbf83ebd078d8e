import { ACCOUNT_OPERATIONS } from '../../../../accounts/operations.ts';
import { requireSignIn as requireOfMembers } from '../../../../accounts/required-sign-in.ts';
import { dashboardRun } from '../operation.ts';
import { assertProvider } from '../sign-in/openid-of.ts';

export const requireSignIn = dashboardRun(
  ACCOUNT_OPERATIONS.requireSignIn,
  async ({ services, principal, sessionToken, body: { required } }) => {
    assertProvider(services, required);
    // The cached session may be older than its second factor.
    const now = await services.signedIn.look(sessionToken, {});
    await requireOfMembers(
      services.parts.database,
      principal.organizationId,
      required,
      now?.user ?? principal,
    );
  },
);
