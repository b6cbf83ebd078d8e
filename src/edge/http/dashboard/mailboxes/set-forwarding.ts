import { MailboxForwarding } from '../../../../contract/mailbox-filing.ts';
import { dashboardOperation } from '../operation.ts';

export const setForwarding = dashboardOperation({
  method: 'PUT',
  path: '/projects/{project}/mailboxes/{id}/forwarding',
  role: 'admin',
  confirms: true,
  resource: { name: 'mailbox', prefix: 'mbx' },
  summary: 'Forward what comes from now on',
  body: MailboxForwarding,
  success: { status: 204, description: 'It is forwarded.' },
  run: ({ services, projectId, id, body }) =>
    services.filing.setForwarding({ projectId, mailboxId: id }, body),
});
