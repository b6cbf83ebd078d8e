import { BlockedSenderQuery } from '../../../../contract/mailbox-filing.ts';
import { dashboardOperation } from '../operation.ts';

export const unblockSender = dashboardOperation({
  method: 'DELETE',
  path: '/projects/{project}/mailboxes/{id}/blocked',
  role: 'admin',
  resource: { name: 'mailbox', prefix: 'mbx' },
  summary: 'Take mail of a sender again',
  query: BlockedSenderQuery,
  success: { status: 204, description: 'The sender is not blocked any more.' },
  run: ({ services, projectId, id, query }) =>
    services.filing.unblock({ projectId, mailboxId: id }, query.sender),
});
