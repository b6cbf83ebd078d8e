import { MailboxVacation } from '../../../../contract/mailbox-filing.ts';
import { dashboardOperation } from '../operation.ts';

export const setVacation = dashboardOperation({
  method: 'PUT',
  path: '/projects/{project}/mailboxes/{id}/vacation',
  role: 'admin',
  resource: { name: 'mailbox', prefix: 'mbx' },
  summary: 'Answer people who write while the owner is away',
  body: MailboxVacation,
  success: { status: 204, description: 'It is set; senders who had an answer before get this one too.' },
  run: ({ services, projectId, id, body }) => services.filing.setVacation({ projectId, mailboxId: id }, body),
});
