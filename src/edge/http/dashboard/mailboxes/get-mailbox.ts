import { DashboardMailbox } from '../../../../contract/dashboard/mailboxes.ts';
import { dashboardOperation } from '../operation.ts';

export const getMailbox = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/mailboxes/{id}',
  role: 'viewer',
  resource: { name: 'mailbox', prefix: 'mbx' },
  summary: 'Settings and storage of a mailbox',
  success: { status: 200, description: 'The mailbox.', body: DashboardMailbox },
  run: ({ services, projectId, id }) => services.mailboxPages.get(projectId, id),
});
