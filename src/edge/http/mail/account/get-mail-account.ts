import { MailOwnAccount } from '../../../../contract/mail/account.ts';
import { mailOperation } from '../operation.ts';

export const getMailAccount = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/account',
  summary: 'Tell how the owner signs in',
  success: { status: 200, description: 'The ways in.', body: MailOwnAccount },
  run: ({ services, session }) => services.account.describe(session),
});
