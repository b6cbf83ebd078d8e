/** The thresholds above which a mailbox harms its domain (docs/decisions/0063-notices-and-locks.md has the sources). */
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { BounceCategory } from '../../model/bounce.ts';
import type { LockReason } from '../../model/lock-reasons.ts';

export const SENDING_RECORD = columnsOf({
  /** Recipients of the last day whose delivery is finished. */
  tried: 'int4',
  /**
   * Recipients among `tried` that a server rejected because the address does not exist or the message is unwanted. Includes later reports about mail that
   * a smart host accepted.
   */
  refused: 'int4',
  /** Recipients among `tried` that bounced according to a report after their server had accepted the message. */
  bounced: 'int4',
  /** Recipients of the last week whose delivery is finished. */
  triedInWeek: 'int4',
  /** Recipients that complained in that week, or messages that they complained about: the smaller number. */
  complained: 'int4',
});
/** The outcomes of mail that a mailbox has sent. */
export type SendingRecord = RowOf<typeof SENDING_RECORD>;

/** Categories of rejections that are evidence against the sender. A full mailbox or an unreachable server is not. */
export const INCRIMINATING = ['unknown_user', 'policy', 'reputation', 'content'] satisfies BounceCategory[];

export function isIncriminating(category: BounceCategory): boolean {
  return (INCRIMINATING as BounceCategory[]).includes(category);
}

/** The largest share of rejected recipients, by the least number of recipients. A small number proves little: anyone can mistype one of three addresses. */
const MOST_REFUSED = [
  { recipients: 20, share: 0.5 },
  { recipients: 200, share: 0.25 },
  { recipients: 1_000, share: 0.1 },
];
/** The number of complaints, and the share, that are both needed for a lock. */
const LEAST_COMPLAINTS = 3;
const MOST_COMPLAINED = 0.003;

/** @returns why the mailbox must be locked; null: no reason */
export function judgeSending(record: SendingRecord): LockReason | null {
  const { tried, refused, bounced, triedInWeek, complained } = record;
  // Attack: any recipient can forge reports to lock the mailbox, so bounces count at most as often as rejections.
  const bad = refused + Math.min(bounced, refused);
  if (MOST_REFUSED.some(({ recipients, share }) => tried >= recipients && bad > tried * share))
    return 'refused';
  return complained >= LEAST_COMPLAINTS && complained > triedInWeek * MOST_COMPLAINED ? 'complained' : null;
}
