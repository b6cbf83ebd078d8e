import { BlockSender } from '../../../../contract/mailbox-filing.ts';
import { mailOperation } from '../operation.ts';

export const blockSender = mailOperation({
  method: 'POST',
  path: '/mailboxes/{mailbox}/blocked',
  summary: 'Take nothing from a sender',
  body: BlockSender,
  success: { status: 204, description: 'What comes from there is refused.' },
  run: ({ services, mailbox, body }) => services.filing.block(mailbox, body.sender),
});
