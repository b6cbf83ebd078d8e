import type { DashboardMailbox } from '../../../../src/contract/dashboard/mailboxes.ts';
import type { MailboxRouteKey } from '../mailboxes/queries.ts';

/** The properties of a component that shows a part of a mailbox. */
export interface MailboxPartProps {
  of: MailboxRouteKey;
  mailbox: DashboardMailbox;
}
