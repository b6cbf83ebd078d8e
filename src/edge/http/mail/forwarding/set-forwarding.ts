import { MailboxForwarding } from '../../../../contract/mailbox-filing.ts';
import { mailOperation } from '../operation.ts';

export const setForwarding = mailOperation({
  method: 'PUT',
  path: '/mailboxes/{mailbox}/forwarding',
  confirms: true,
  summary: 'Forward what comes from now on',
  body: MailboxForwarding,
  success: { status: 204, description: 'It is forwarded.' },
  run: ({ services, mailbox, body }) => services.filing.setForwarding(mailbox, body),
});
