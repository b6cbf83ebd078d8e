import { MailboxSending } from '../../../../contract/dashboard/usage.ts';
import { dashboardOperation } from '../operation.ts';

export const getMailboxSending = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/mailboxes/{id}/sending',
  role: 'viewer',
  resource: { name: 'mailbox', prefix: 'mbx' },
  summary: 'What a mailbox sends, beside its limit',
  success: { status: 200, description: 'Numbers.', body: MailboxSending },
  run: ({ services, projectId, id }) => services.projects.mailboxSending(projectId, id),
});
