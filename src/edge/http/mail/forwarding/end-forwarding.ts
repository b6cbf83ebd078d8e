import { mailOperation } from '../operation.ts';

export const endForwarding = mailOperation({
  method: 'DELETE',
  path: '/mailboxes/{mailbox}/forwarding',
  confirms: true,
  summary: 'Forward nothing any more, but what rules forward',
  success: { status: 204, description: 'Mail stays in the mailbox.' },
  run: ({ services, mailbox }) => services.filing.endForwarding(mailbox),
});
