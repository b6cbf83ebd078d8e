import { MailSessions } from '../../../../contract/mail/account.ts';
import { mailOperation } from '../operation.ts';

export const listMailSessions = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/sessions',
  summary: 'List where the mailbox is open',
  success: { status: 200, description: 'In browsers, and in mail apps.', body: MailSessions },
  run: ({ services, session }) => services.sessions.list(session),
});
