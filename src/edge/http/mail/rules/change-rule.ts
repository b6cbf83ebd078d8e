import { ChangeMailboxRule } from '../../../../contract/mailbox-filing.ts';
import { mailOperation } from '../operation.ts';

export const changeRule = mailOperation({
  method: 'PATCH',
  path: '/mailboxes/{mailbox}/rules/{id}',
  resource: { name: 'rule', prefix: 'rule' },
  summary: 'Move a rule, or switch it on or off',
  body: ChangeMailboxRule,
  success: { status: 204, description: 'It is changed.' },
  run: ({ services, mailbox, id, body }) => services.filing.changeRule(mailbox, id, body),
});
