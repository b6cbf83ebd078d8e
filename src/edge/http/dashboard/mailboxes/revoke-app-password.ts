import { dashboardOperation } from '../operation.ts';

export const revokeAppPassword = dashboardOperation({
  method: 'DELETE',
  path: '/projects/{project}/mailboxes/{id}/app-passwords/{part}',
  role: 'admin',
  resource: { name: 'mailbox', prefix: 'mbx' },
  part: { name: 'app password', prefix: 'app' },
  summary: 'Revoke an app password',
  success: { status: 204, description: 'It is revoked. What it opened ends within two seconds.' },
  run: ({ services, projectId, id, partId }) =>
    services.mailboxAccess.revokeAppPassword({ projectId, mailboxId: id }, partId),
});
