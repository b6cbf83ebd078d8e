import { AddMailboxRule, MailboxRule } from '../../../../contract/mailbox-filing.ts';
import { mailOperation } from '../operation.ts';

export const addRule = mailOperation({
  method: 'POST',
  path: '/mailboxes/{mailbox}/rules',
  confirms: true,
  summary: 'Add a rule',
  description: 'It may forward mail.',
  body: AddMailboxRule,
  success: { status: 201, description: 'The rule.', body: MailboxRule },
  run: ({ services, mailbox, body }) => services.filing.addRule(mailbox, body),
});
