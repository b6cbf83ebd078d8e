import { BlockedSenderList } from '../../../../contract/mail/filing.ts';
import { mailOperation } from '../operation.ts';

export const listBlockedSenders = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/blocked',
  summary: 'List the blocked senders',
  success: { status: 200, description: 'Addresses and domains.', body: BlockedSenderList },
  async run({ services, mailbox }) {
    const filing = await services.filing.read(mailbox);
    return filing && { data: filing.blocked };
  },
});
