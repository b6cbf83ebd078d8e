import { ChangeMailSettings, MailSettings } from '../../../../contract/mail/settings.ts';
import { mailOperation } from '../operation.ts';

export const changeMailSettings = mailOperation({
  method: 'PATCH',
  path: '/mailboxes/{mailbox}/settings',
  summary: 'Change how the owner reads and writes',
  body: ChangeMailSettings,
  success: { status: 200, description: 'The settings.', body: MailSettings },
  run: ({ services, mailbox, body }) => services.settings.change(mailbox, body),
});
