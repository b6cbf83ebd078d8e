import { RuleList } from '../../../../contract/mail/filing.ts';
import { mailOperation } from '../operation.ts';

export const listRules = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/rules',
  summary: 'List the rules',
  success: { status: 200, description: 'The rules, in their order.', body: RuleList },
  async run({ services, mailbox }) {
    const filing = await services.filing.read(mailbox);
    return filing && { data: filing.rules };
  },
});
