import { requireOperatorSignIn as requireOfOperators } from '../../../../accounts/required-sign-in.ts';
import { RequireSignIn } from '../../../../contract/dashboard/organizations.ts';
import { dashboardOperation } from '../operation.ts';
import { assertProvider } from '../sign-in/openid-of.ts';

export const requireOperatorSignIn = dashboardOperation({
  method: 'PUT',
  path: '/system/required-sign-in',
  role: 'operator',
  confirms: true,
  summary: 'Require a second factor or OpenID of the operators',
  description:
    'An operator whose session lacks it does not see System until they set it up. Your own session must have it.',
  body: RequireSignIn,
  success: { status: 204, description: 'It is required within two seconds.' },
  async run({ services, principal, sessionToken, body: { required } }) {
    assertProvider(services, required);
    // The cached session may be older than its second factor.
    const now = await services.signedIn.look(sessionToken, {});
    await requireOfOperators(services.parts.database, required, now?.user ?? principal);
  },
});
