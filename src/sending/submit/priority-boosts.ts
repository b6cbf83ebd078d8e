/**
 * Fairness between the mailboxes of a project, which share one stream of the queue (docs/decisions/0028-turns.md). Mail from a mailbox that
 * sends little is queued ahead of waiting mail from other mailboxes. The boost only changes the due time, in whose order the queue is read
 * anyway, so no further index is needed.
 */
import { TokenBuckets } from '../../concurrency/rate-limit.ts';
import type { SubmittingMailbox } from './submitted-mail.ts';

/**
 * Boosted mail is due this many seconds earlier. Other mail never waits longer than this for boosted mail, because boosted mail that
 * arrives after this time is due later than the other mail.
 */
export const PRIORITY_BOOST_S = 3_600;
/** The burst in recipients: as many as one message may have. Ten recipients per minute are refilled. */
const AT_ONCE = 100;
const PER_SECOND = 1 / 6;

/** Each process counts separately, so with several processes a mailbox gets slightly more boosts. */
export class PriorityBoosts {
  readonly #left = new TokenBuckets(PER_SECOND, AT_ONCE, () => performance.now());

  /** Whether a message gets the boost. Its recipients use up the boost of later messages. */
  take({ projectId, mailboxId }: SubmittingMailbox, recipients: number): boolean {
    return this.#left.take(`${projectId} ${mailboxId}`, recipients).allowed;
  }
}
