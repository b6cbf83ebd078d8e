import { DashboardFileLinkList, DashboardFileLinkQuery } from '../../../../contract/dashboard/file-links.ts';
import { dashboardOperation } from '../operation.ts';

export const listProjectFileLinks = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/file-links',
  role: 'viewer',
  summary: 'Large files that mailboxes sent as links, the newest first',
  query: DashboardFileLinkQuery,
  success: { status: 200, description: 'A page of the list.', body: DashboardFileLinkList },
  run: ({ services, projectId, query }) => services.fileLinks.list(projectId, query.cursor ?? null),
});
