import { BlockedSenderQuery } from '../../../../contract/mailbox-filing.ts';
import { mailOperation } from '../operation.ts';

export const unblockSender = mailOperation({
  method: 'DELETE',
  path: '/mailboxes/{mailbox}/blocked',
  summary: 'Take mail from a sender again',
  query: BlockedSenderQuery,
  success: { status: 204, description: 'What comes from there is taken.' },
  errors: ['not-found'],
  run: ({ services, mailbox, query }) => services.filing.unblock(mailbox, query.sender),
});
