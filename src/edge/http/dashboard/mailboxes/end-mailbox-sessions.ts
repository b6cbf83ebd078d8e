import { dashboardOperation } from '../operation.ts';

export const endMailboxSessions = dashboardOperation({
  method: 'DELETE',
  path: '/projects/{project}/mailboxes/{id}/sessions',
  role: 'admin',
  resource: { name: 'mailbox', prefix: 'mbx' },
  summary: 'End all sessions of a mailbox',
  description: 'Whoever knows a password that works signs in again.',
  success: { status: 204, description: 'They end within two seconds.' },
  run: ({ services, projectId, id }) => services.mailboxAccess.endSessions({ projectId, mailboxId: id }),
});
