import { dashboardOperation } from '../operation.ts';

export const removeMailboxSecondFactor = dashboardOperation({
  method: 'DELETE',
  path: '/projects/{project}/mailboxes/{id}/second-factor',
  role: 'admin',
  confirms: true,
  resource: { name: 'mailbox', prefix: 'mbx' },
  summary: 'Take the second factor off a mailbox',
  description: 'For an owner who has lost it: their password opens the mailbox alone from then on.',
  success: { status: 204, description: 'It is off.' },
  run: ({ services, projectId, id }) =>
    services.mailboxAccess.removeSecondFactor({ projectId, mailboxId: id }),
});
