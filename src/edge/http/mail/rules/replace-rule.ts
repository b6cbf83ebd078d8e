import { MailboxRule, RuleWords } from '../../../../contract/mailbox-filing.ts';
import { mailOperation } from '../operation.ts';

export const replaceRule = mailOperation({
  method: 'PUT',
  path: '/mailboxes/{mailbox}/rules/{id}',
  confirms: true,
  resource: { name: 'rule', prefix: 'rule' },
  summary: 'Put another rule in the place of one',
  description: 'It keeps its id, its position and whether it is switched on.',
  body: RuleWords,
  success: { status: 200, description: 'The rule.', body: MailboxRule },
  run: ({ services, mailbox, id, body }) => services.filing.replaceRule(mailbox, id, body),
});
