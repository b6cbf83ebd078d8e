import { dashboardOperation } from '../operation.ts';

export const deleteMailbox = dashboardOperation({
  method: 'DELETE',
  path: '/projects/{project}/mailboxes/{id}',
  role: 'admin',
  confirms: true,
  resource: { name: 'mailbox', prefix: 'mbx' },
  summary: 'Delete a mailbox with its mail',
  success: { status: 204, description: 'It is deleted.' },
  run: ({ services, projectId, id }) => services.mailboxes.delete(projectId, id),
});
