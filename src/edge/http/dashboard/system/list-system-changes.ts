import { SystemChangeList, SystemChangesQuery } from '../../../../contract/dashboard/system.ts';
import { dashboardOperation } from '../operation.ts';

export const listSystemChanges = dashboardOperation({
  method: 'GET',
  path: '/system/changes',
  role: 'operator',
  summary: 'List what operators changed',
  query: SystemChangesQuery,
  success: { status: 200, description: 'A page of the changes.', body: SystemChangeList },
  run: ({ services, query }) => services.system.changes(query),
});
