import { MailboxUsagePage, MailboxUsageQuery } from '../../../../contract/dashboard/usage.ts';
import { dashboardOperation } from '../operation.ts';

export const listMailboxUsage = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/usage/mailboxes',
  role: 'viewer',
  summary: 'List what each mailbox keeps and sends, page by page',
  query: MailboxUsageQuery,
  success: { status: 200, description: 'A page.', body: MailboxUsagePage },
  run: ({ services, projectId, query }) => services.projects.mailboxUsage(projectId, query),
});
