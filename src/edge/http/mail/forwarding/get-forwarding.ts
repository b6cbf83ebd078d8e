import { Forwarding } from '../../../../contract/mail/filing.ts';
import { mailOperation } from '../operation.ts';

export const getForwarding = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/forwarding',
  summary: 'Where mail goes on to, and what became of that',
  success: { status: 200, description: 'The target, and those that refuse what they get.', body: Forwarding },
  async run({ services, mailbox }) {
    const filing = await services.filing.read(mailbox);
    return filing && { forwarding: filing.forwarding, failing: filing.failing };
  },
});
