import { mailOperation } from '../operation.ts';

export const removeRule = mailOperation({
  method: 'DELETE',
  path: '/mailboxes/{mailbox}/rules/{id}',
  resource: { name: 'rule', prefix: 'rule' },
  summary: 'Remove a rule',
  success: { status: 204, description: 'It is removed.' },
  run: ({ services, mailbox, id }) => services.filing.removeRule(mailbox, id),
});
