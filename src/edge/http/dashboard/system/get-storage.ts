import { SystemStorage } from '../../../../contract/dashboard/system.ts';
import { dashboardOperation } from '../operation.ts';

export const getStorage = dashboardOperation({
  method: 'GET',
  path: '/system/storage',
  role: 'operator',
  summary: 'Tell what takes space',
  success: { status: 200, description: 'The space.', body: SystemStorage },
  run: ({ services }) => services.system.storage(),
});
