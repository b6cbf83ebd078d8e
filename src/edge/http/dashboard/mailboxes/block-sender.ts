import { BlockSender } from '../../../../contract/mailbox-filing.ts';
import { dashboardOperation } from '../operation.ts';

export const blockSender = dashboardOperation({
  method: 'POST',
  path: '/projects/{project}/mailboxes/{id}/blocked',
  role: 'admin',
  resource: { name: 'mailbox', prefix: 'mbx' },
  summary: 'Refuse mail of a sender',
  body: BlockSender,
  success: { status: 204, description: 'The sender is blocked.' },
  run: ({ services, projectId, id, body }) =>
    services.filing.block({ projectId, mailboxId: id }, body.sender),
});
