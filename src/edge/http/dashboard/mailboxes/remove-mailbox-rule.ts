import { dashboardOperation } from '../operation.ts';

export const removeMailboxRule = dashboardOperation({
  method: 'DELETE',
  path: '/projects/{project}/mailboxes/{id}/rules/{part}',
  role: 'admin',
  resource: { name: 'mailbox', prefix: 'mbx' },
  part: { name: 'rule', prefix: 'rule' },
  summary: 'Remove a rule',
  success: { status: 204, description: 'It is removed.' },
  run: ({ services, projectId, id, partId }) =>
    services.filing.removeRule({ projectId, mailboxId: id }, partId),
});
