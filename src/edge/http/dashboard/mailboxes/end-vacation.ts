import { dashboardOperation } from '../operation.ts';

export const endVacation = dashboardOperation({
  method: 'DELETE',
  path: '/projects/{project}/mailboxes/{id}/vacation',
  role: 'admin',
  resource: { name: 'mailbox', prefix: 'mbx' },
  summary: 'Answer nobody any more',
  success: { status: 204, description: 'Nobody is answered.' },
  run: ({ services, projectId, id }) => services.filing.endVacation({ projectId, mailboxId: id }),
});
