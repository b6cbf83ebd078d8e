import { MailboxSignIns } from '../../../../contract/dashboard/mailboxes.ts';
import { dashboardOperation } from '../operation.ts';

export const getMailboxSignIns = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/mailboxes/{id}/sign-ins',
  role: 'admin',
  resource: { name: 'mailbox', prefix: 'mbx' },
  summary: 'Who opens a mailbox: sessions and the last sign-ins',
  success: { status: 200, description: 'Doors, addresses and times.', body: MailboxSignIns },
  run: ({ services, projectId, id }) => services.mailboxAccess.signIns({ projectId, mailboxId: id }),
});
