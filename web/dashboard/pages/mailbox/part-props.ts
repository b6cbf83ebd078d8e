import type { DashboardMailbox } from '../../../../src/contract/dashboard/mailboxes.ts';
import type { MailboxKey } from '../mailboxes/queries.ts';

/** Of what shows a part of a mailbox. */
export interface PartProps {
  of: MailboxKey;
  mailbox: DashboardMailbox;
}
