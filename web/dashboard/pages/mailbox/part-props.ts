import type { DashboardMailbox } from '../../../../src/contract/dashboard/mailboxes.ts';
import type { MailboxRouteKey } from '../mailboxes/queries.ts';

export interface MailboxPartProps {
  of: MailboxRouteKey;
  mailbox: DashboardMailbox;
}
