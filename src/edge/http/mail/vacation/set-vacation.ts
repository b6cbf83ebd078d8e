import { MailboxVacation } from '../../../../contract/mailbox-filing.ts';
import { mailOperation } from '../operation.ts';

export const setVacation = mailOperation({
  method: 'PUT',
  path: '/mailboxes/{mailbox}/vacation',
  summary: 'Answer people who write while the owner is away',
  body: MailboxVacation,
  success: { status: 204, description: 'It is set; senders who had an answer before get this one too.' },
  run: ({ services, mailbox, body }) => services.filing.setVacation(mailbox, body),
});
