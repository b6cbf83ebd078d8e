import type { DashboardMailbox } from '../../../../src/contract/dashboard/mailboxes.ts';
import type { MailboxRouteKey } from '../mailboxes/queries.ts';

/** Of what shows a part of a mailbox. */
export interface MailboxPartProps {
  of: MailboxRouteKey;
  mailbox: DashboardMailbox;
}
