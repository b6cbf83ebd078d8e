import { SystemProcesses } from '../../../../contract/dashboard/system.ts';
import { dashboardOperation } from '../operation.ts';

export const listProcesses = dashboardOperation({
  method: 'GET',
  path: '/system/processes',
  role: 'operator',
  summary: 'List the processes of all machines',
  success: { status: 200, description: 'The processes.', body: SystemProcesses },
  run: ({ services }) => services.system.processes(),
});
