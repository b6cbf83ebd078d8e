import { SearchSuppressionsQuery } from '../../../../contract/dashboard/suppressions.ts';
import { SuppressionList } from '../../../../contract/suppressions.ts';
import { dashboardOperation } from '../operation.ts';

export const listSuppressions = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/suppressions',
  role: 'viewer',
  summary: 'Search the addresses that get no more mail, newest first',
  query: SearchSuppressionsQuery,
  success: { status: 200, description: 'A page of the list.', body: SuppressionList },
  run: ({ services, projectId, query }) => services.suppressionSearch.search(projectId, query),
});
