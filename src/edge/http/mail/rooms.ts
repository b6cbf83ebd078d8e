/** The rooms whose operations the web client alone has: they need what mail is served from, which a process opens for all protocols. */
import { MAIL_ACTION_OPERATIONS } from '../../../store/act/operations.ts';
import type { MailActionParts } from '../../../store/act/run.ts';
import { MAIL_LIST_OPERATIONS } from '../../../store/list/operations.ts';
import type { MailListParts } from '../../../store/list/run.ts';
import type { Room } from '../rooms.ts';

/** What they together need. */
export interface MailRoomParts extends MailListParts, MailActionParts {}

/** In the order of docs/architecture.md. */
export const MAIL_ROOMS: readonly Room<MailRoomParts>[] = [
  { operations: MAIL_LIST_OPERATIONS, load: () => import('../../../store/list/run.ts') },
  { operations: MAIL_ACTION_OPERATIONS, load: () => import('../../../store/act/run.ts') },
];
