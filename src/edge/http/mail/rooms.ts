/** The rooms whose operations the web client alone has: they need what mail is served from, which a process opens for all protocols. */
import { MAIL_ACTION_OPERATIONS } from '../../../store/act/operations.ts';
import type { MailActionParts } from '../../../store/act/run.ts';
import { MAIL_LIST_OPERATIONS } from '../../../store/list/operations.ts';
import type { MailListParts } from '../../../store/list/run.ts';
import { INVITATION_OPERATIONS } from '../../../webmail/invitations/operations.ts';
import type { InvitationParts } from '../../../webmail/invitations/run.ts';
import { MAIL_SETTINGS_OPERATIONS } from '../../../webmail/settings/operations.ts';
import type { MailSettingsParts } from '../../../webmail/settings/run.ts';
import { MAIL_READING_OPERATIONS } from '../../../webmail/read/operations.ts';
import type { MailReadingParts } from '../../../webmail/read/run.ts';
import { MAIL_WRITING_OPERATIONS } from '../../../webmail/write/operations.ts';
import type { MailWritingParts } from '../../../webmail/write/run.ts';
import type { Room } from '../rooms.ts';

/** What they together need. */
export interface MailRoomParts
  extends MailListParts,
    MailActionParts,
    InvitationParts,
    MailSettingsParts,
    MailReadingParts,
    MailWritingParts {}

/** In the order of docs/architecture.md. */
export const MAIL_ROOMS: readonly Room<MailRoomParts>[] = [
  { operations: MAIL_LIST_OPERATIONS, load: () => import('../../../store/list/run.ts') },
  { operations: MAIL_ACTION_OPERATIONS, load: () => import('../../../store/act/run.ts') },
  { operations: INVITATION_OPERATIONS, load: () => import('../../../webmail/invitations/run.ts') },
  { operations: MAIL_SETTINGS_OPERATIONS, load: () => import('../../../webmail/settings/run.ts') },
  { operations: MAIL_READING_OPERATIONS, load: () => import('../../../webmail/read/run.ts') },
  { operations: MAIL_WRITING_OPERATIONS, load: () => import('../../../webmail/write/run.ts') },
];
