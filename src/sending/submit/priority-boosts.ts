/**
 * Fairness between the mailboxes of a project, which share one stream of the queue (docs/decisions/0028-turns.md). Mail of a mailbox that
 * sends little is queued ahead of waiting mail of other mailboxes. The boost only changes the due time, in whose order the queue is read
 * anyway, so no further index is needed.
 */
import { TokenBuckets } from '../../concurrency/rate-limit.ts';
import type { SubmittingMailbox } from './submitted-mail.ts';

/**
 * How much earlier boosted mail is due. Other mail never waits longer than this for boosted mail, because boosted mail that arrives later
 * is due after it.
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
