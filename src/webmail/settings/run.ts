/** Implements the operations of `operations.ts`. */
import type { Run } from '../../accounts/calls.ts';
import type { OwnSettings } from './own-settings.ts';
import type { MAIL_SETTINGS_OPERATIONS } from './operations.ts';

/** The parts of the core that the operations need. */
export interface MailSettingsParts {
  settings: Pick<OwnSettings, 'read' | 'change'>;
}

export const run: Run<typeof MAIL_SETTINGS_OPERATIONS, MailSettingsParts> = {
  getMailSettings: ({ settings }, { mailbox }) => settings.read(mailbox),
  changeMailSettings: ({ settings }, { mailbox, body }) => settings.change(mailbox, body),
};
