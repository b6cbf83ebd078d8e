/** The thresholds above which a mailbox harms its domain. The sources are in docs/decisions/0063-notices-and-locks.md. */
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { BounceCategory } from '../../model/bounce.ts';
import type { LockReason } from '../../model/lock-reasons.ts';

export const SENDING_RECORD = columnsOf({
  /** The number of recipients in the last day whose delivery is finished. */
  tried: 'int4',
  /**
   * The number of recipients in `tried` that a server rejected because the address does not exist or the message is unwanted. Includes
   * later reports about mail that a smart host accepted.
   */
  refused: 'int4',
  /** The number of recipients in `tried` that bounced, according to a report, after their server had accepted the message. */
  bounced: 'int4',
  /** The number of recipients in the last week whose delivery is finished. */
  triedInWeek: 'int4',
  /** The number of recipients that complained in the last week, or the number of messages with complaints if it is smaller. */
  complained: 'int4',
});
/** The outcomes of mail that a mailbox has sent. */
export type SendingRecord = RowOf<typeof SENDING_RECORD>;

/** Categories of rejections that are evidence against the sender. A full mailbox or an unreachable server is no evidence. */
export const INCRIMINATING = ['unknown_user', 'policy', 'reputation', 'content'] satisfies BounceCategory[];

export function isIncriminating(category: BounceCategory): boolean {
  return (INCRIMINATING as BounceCategory[]).includes(category);
}

/**
 * The largest acceptable share of rejected recipients, for at least this number of recipients. A small number of recipients proves little,
 * because any user can mistype one of three addresses.
 */
const MOST_REFUSED = [
  { recipients: 20, share: 0.5 },
  { recipients: 200, share: 0.25 },
  { recipients: 1_000, share: 0.1 },
];
/** A lock needs at least this number of complaints, and a larger share of complaints than `MOST_COMPLAINED`. */
const LEAST_COMPLAINTS = 3;
const MOST_COMPLAINED = 0.003;

/** @returns the reason why the mailbox must be locked; null: no reason */
export function judgeSending(record: SendingRecord): LockReason | null {
  const { tried, refused, bounced, triedInWeek, complained } = record;
  // Bounces count at most as often as rejections, to stop this attack: a recipient forges bounce reports to lock the mailbox.
  const bad = refused + Math.min(bounced, refused);
  if (MOST_REFUSED.some(({ recipients, share }) => tried >= recipients && bad > tried * share))
    return 'refused';
  return complained >= LEAST_COMPLAINTS && complained > triedInWeek * MOST_COMPLAINED ? 'complained' : null;
}
