/** From when on what a mailbox sends does harm to its domain (docs/decisions/0063-notices-and-locks.md has the sources). */
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { BounceCategory } from '../../model/bounce.ts';
import type { LockReason } from '../../model/lock-reasons.ts';

export const SENDING_RECORD = columnsOf({
  /** Recipients of a day for whom no work is left. */
  tried: 'int4',
  /** Of these: a server said that there is no such address, or that it does not want the message; also by a report, of what a smart host had. */
  refused: 'int4',
  /** Of these: a report says so of what the server of the recipient had taken. */
  bounced: 'int4',
  /** Recipients of a week for whom no work is left. */
  triedInWeek: 'int4',
  /** Recipients that complained in that week, and messages that they complained of: whichever is less. */
  complained: 'int4',
});
/** What became of what a mailbox has sent. */
export type SendingRecord = RowOf<typeof SENDING_RECORD>;

/** Of refusals that say something of who sends. A full mailbox, or a server that is away, does not. */
export const TELLING = ['unknown_user', 'policy', 'reputation', 'content'] satisfies BounceCategory[];

export function isTelling(category: BounceCategory): boolean {
  return (TELLING as BounceCategory[]).includes(category);
}

/** Of so many recipients no more than this share may be refused. Few say little: a typing error in one of three addresses is no crime. */
const MOST_REFUSED = [
  { recipients: 20, share: 0.5 },
  { recipients: 200, share: 0.25 },
  { recipients: 1_000, share: 0.1 },
];
/** So many complaints, and this share. */
const LEAST_COMPLAINTS = 3;
const MOST_COMPLAINED = 0.003;

/** @returns null: all is well */
export function judgeSending(record: SendingRecord): LockReason | null {
  const { tried, refused, bounced, triedInWeek, complained } = record;
  // Attack: anybody who was written to can forge reports, and would lock the mailbox with them.
  const bad = refused + Math.min(bounced, refused);
  if (MOST_REFUSED.some(({ recipients, share }) => tried >= recipients && bad > tried * share))
    return 'refused';
  return complained >= LEAST_COMPLAINTS && complained > triedInWeek * MOST_COMPLAINED ? 'complained' : null;
}
