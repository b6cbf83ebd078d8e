import { Account } from '../../../../contract/dashboard/factors.ts';
import { dashboardOperation } from '../operation.ts';

export const getAccount = dashboardOperation({
  method: 'GET',
  path: '/user',
  role: 'signed-in',
  serves: 'session',
  summary: 'Tell how the user signs in',
  success: { status: 200, description: 'The account.', body: Account },
  run: ({ services, principal }) => services.factors.account(principal.userId),
});
