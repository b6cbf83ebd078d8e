import { SignInWays } from '../../../../contract/dashboard/factors.ts';
import { dashboardOperation } from '../operation.ts';

export const getSignInWays = dashboardOperation({
  method: 'GET',
  path: '/sign-in',
  role: 'anyone',
  summary: 'Tell how people sign in here',
  success: { status: 200, description: 'The ways in beside a password.', body: SignInWays },
  run: async ({ services }) => services.factors.ways(),
});
