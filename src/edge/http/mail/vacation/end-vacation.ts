import { mailOperation } from '../operation.ts';

export const endVacation = mailOperation({
  method: 'DELETE',
  path: '/mailboxes/{mailbox}/vacation',
  summary: 'Answer nobody any more',
  success: { status: 204, description: 'Nobody is answered.' },
  run: ({ services, mailbox }) => services.filing.endVacation(mailbox),
});
