import { DashboardMailboxPage, DashboardMailboxQuery } from '../../../../contract/dashboard/mailboxes.ts';
import { dashboardOperation } from '../operation.ts';

export const listMailboxes = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/mailboxes',
  role: 'viewer',
  summary: 'Mailboxes of a project, page by page',
  query: DashboardMailboxQuery,
  success: { status: 200, description: 'A page.', body: DashboardMailboxPage },
  run: ({ services, projectId, query }) => services.mailboxPages.list(projectId, query),
});
