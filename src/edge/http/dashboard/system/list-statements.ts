import { SystemStatements } from '../../../../contract/dashboard/system.ts';
import { dashboardOperation } from '../operation.ts';

export const listStatements = dashboardOperation({
  method: 'GET',
  path: '/system/statements',
  role: 'operator',
  summary: 'List the statements of the database that take the most time',
  success: { status: 200, description: 'The statements.', body: SystemStatements },
  run: ({ services }) => services.system.statements(),
});
