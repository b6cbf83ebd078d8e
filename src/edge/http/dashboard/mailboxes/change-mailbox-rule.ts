import { ChangeMailboxRule } from '../../../../contract/mailbox-filing.ts';
import { dashboardOperation } from '../operation.ts';

export const changeMailboxRule = dashboardOperation({
  method: 'PATCH',
  path: '/projects/{project}/mailboxes/{id}/rules/{part}',
  role: 'admin',
  resource: { name: 'mailbox', prefix: 'mbx' },
  part: { name: 'rule', prefix: 'rule' },
  summary: 'Move a rule, or switch it on or off',
  body: ChangeMailboxRule,
  success: { status: 204, description: 'It is changed.' },
  run: ({ services, projectId, id, partId, body }) =>
    services.filing.changeRule({ projectId, mailboxId: id }, partId, body),
});
