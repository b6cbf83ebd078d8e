import { requireSignIn as requireOfMembers } from '../../../../accounts/required-sign-in.ts';
import { RequireSignIn } from '../../../../contract/dashboard/organizations.ts';
import { dashboardOperation } from '../operation.ts';
import { assertProvider } from '../sign-in/openid-of.ts';

export const requireSignIn = dashboardOperation({
  method: 'PUT',
  path: '/organizations/{organization}/required-sign-in',
  role: 'owner',
  confirms: true,
  summary: 'Require a second factor or OpenID of the members',
  description:
    'A member whose session lacks it opens nothing of the organisation until they set it up. Your own session must have it.',
  body: RequireSignIn,
  success: { status: 204, description: 'It is required within two seconds.' },
  async run({ services, principal, sessionToken, body: { required } }) {
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
});
