import { SystemVersions } from '../../../../contract/dashboard/system.ts';
import { dashboardOperation } from '../operation.ts';

export const getVersions = dashboardOperation({
  method: 'GET',
  path: '/system/versions',
  role: 'operator',
  summary: 'Tell what runs, and what the database is made for',
  success: { status: 200, description: 'The versions.', body: SystemVersions },
  run: ({ services }) => services.system.versions(),
});
