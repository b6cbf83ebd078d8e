/** Operations on the settings of a mailbox owner. `run.ts` implements them. */
import { ChangeMailSettings, MailSettings } from '../../contract/mail/settings.ts';
import { declare } from '../../contract/operation.ts';

export const MAIL_SETTINGS_OPERATIONS = {
  getMailSettings: declare({
    summary: 'Get the settings of the mailbox owner',
    success: { status: 200, description: 'The settings.', body: MailSettings },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/settings' },
    },
  }),
  changeMailSettings: declare({
    summary: 'Change the settings of the mailbox owner',
    body: ChangeMailSettings,
    success: { status: 200, description: 'The settings.', body: MailSettings },
    doors: {
      mail: { route: 'PATCH /mailboxes/{mailbox}/settings' },
    },
  }),
};
