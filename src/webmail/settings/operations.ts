/** Operations on the settings of a mailbox owner. `run.ts` implements them. */
import { ChangeMailSettings, MailSettings } from '../../contract/mail/settings.ts';
import { declare } from '../../contract/operation.ts';

export const MAIL_SETTINGS_OPERATIONS = {
  getMailSettings: declare({
    summary: 'How the owner reads and writes',
    success: { status: 200, description: 'The settings.', body: MailSettings },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/settings' },
    },
  }),
  changeMailSettings: declare({
    summary: 'Change how the owner reads and writes',
    body: ChangeMailSettings,
    success: { status: 200, description: 'The settings.', body: MailSettings },
    doors: {
      mail: { route: 'PATCH /mailboxes/{mailbox}/settings' },
    },
  }),
};
