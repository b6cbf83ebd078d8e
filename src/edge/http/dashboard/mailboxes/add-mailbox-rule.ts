import { AddMailboxRule, MailboxRule } from '../../../../contract/mailbox-filing.ts';
import { dashboardOperation } from '../operation.ts';

export const addMailboxRule = dashboardOperation({
  method: 'POST',
  path: '/projects/{project}/mailboxes/{id}/rules',
  role: 'admin',
  confirms: true,
  resource: { name: 'mailbox', prefix: 'mbx' },
  summary: 'Add a rule',
  description: 'It may forward mail.',
  body: AddMailboxRule,
  success: { status: 201, description: 'The rule.', body: MailboxRule },
  run: ({ services, projectId, id, body }) => services.filing.addRule({ projectId, mailboxId: id }, body),
});
