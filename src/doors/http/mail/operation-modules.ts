/**
 * The modules whose operations only the web client offers. The modules use the open mailboxes of the process, which all protocols share.
 */
import { CONTACT_OPERATIONS } from '../../../contacts/operations.ts';
import { MAIL_LIST_OPERATIONS } from '../../../webmail/list/operations.ts';
import { MAIL_ACTION_OPERATIONS } from '../../../webmail/act/operations.ts';
import { MAIL_LABEL_OPERATIONS } from '../../../webmail/labels/operations.ts';
import { INVITATION_OPERATIONS } from '../../../webmail/invitations/operations.ts';
import { PUSH_OPERATIONS } from '../../../webmail/push/operations.ts';
import { MAIL_SETTINGS_OPERATIONS } from '../../../webmail/settings/operations.ts';
import { MAIL_READING_OPERATIONS } from '../../../webmail/read/operations.ts';
import { MAIL_WRITING_OPERATIONS } from '../../../webmail/write/operations.ts';
import { type PartsOf, type OperationModule, moduleOf } from '../declared-operations.ts';

/** In the order of docs/architecture.md. */
const LISTED = [
  moduleOf(CONTACT_OPERATIONS, () => import('../../../contacts/run.ts')),
  moduleOf(MAIL_LIST_OPERATIONS, () => import('../../../webmail/list/run.ts')),
  moduleOf(MAIL_ACTION_OPERATIONS, () => import('../../../webmail/act/run.ts')),
  moduleOf(MAIL_LABEL_OPERATIONS, () => import('../../../webmail/labels/run.ts')),
  moduleOf(INVITATION_OPERATIONS, () => import('../../../webmail/invitations/run.ts')),
  moduleOf(PUSH_OPERATIONS, () => import('../../../webmail/push/run.ts')),
  moduleOf(MAIL_SETTINGS_OPERATIONS, () => import('../../../webmail/settings/run.ts')),
  moduleOf(MAIL_READING_OPERATIONS, () => import('../../../webmail/read/run.ts')),
  moduleOf(MAIL_WRITING_OPERATIONS, () => import('../../../webmail/write/run.ts')),
];

/** The dependencies of these modules' operations. */
export type MailModuleParts = PartsOf<(typeof LISTED)[number]>;

export const MAIL_OPERATION_MODULES: readonly OperationModule<MailModuleParts>[] = LISTED;
