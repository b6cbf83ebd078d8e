import { MailboxFiling } from '../../../../contract/mailbox-filing.ts';
import { dashboardOperation } from '../operation.ts';

export const getMailboxFiling = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/mailboxes/{id}/filing',
  role: 'developer',
  resource: { name: 'mailbox', prefix: 'mbx' },
  summary: 'Rules, blocked senders, vacation and forwarding of a mailbox',
  success: { status: 200, description: 'What becomes of its mail.', body: MailboxFiling },
  run: ({ services, projectId, id }) => services.filing.read({ projectId, mailboxId: id }),
});
