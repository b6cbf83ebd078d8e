import { RequireSignIn } from '../../../../contract/dashboard/organizations.ts';
import { dashboardOperation } from '../operation.ts';

export const getOperatorSignIn = dashboardOperation({
  method: 'GET',
  path: '/system/required-sign-in',
  role: 'operator',
  summary: 'Get what is required of the sign-in of operators',
  success: { status: 200, description: 'The requirement.', body: RequireSignIn },
  run: async ({ services }) => ({ required: await services.organizations.operatorSignIn() }),
});
