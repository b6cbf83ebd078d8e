import { dashboardOperation } from '../operation.ts';

export const endForwarding = dashboardOperation({
  method: 'DELETE',
  path: '/projects/{project}/mailboxes/{id}/forwarding',
  role: 'admin',
  resource: { name: 'mailbox', prefix: 'mbx' },
  summary: 'Forward nothing any more, but what rules forward',
  success: { status: 204, description: 'Nothing is forwarded.' },
  run: ({ services, projectId, id }) => services.filing.endForwarding({ projectId, mailboxId: id }),
});
