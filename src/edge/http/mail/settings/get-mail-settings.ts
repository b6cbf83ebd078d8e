import { MailSettings } from '../../../../contract/mail/settings.ts';
import { mailOperation } from '../operation.ts';

export const getMailSettings = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/settings',
  summary: 'How the owner reads and writes',
  success: { status: 200, description: 'The settings.', body: MailSettings },
  run: ({ services, mailbox }) => services.settings.read(mailbox),
});
