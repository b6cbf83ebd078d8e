/**
 * Turns between the mailboxes of a project, which share one stream of the queue (docs/decisions/0028-turns.md): who writes to few goes
 * before what others of the project have waiting. It is a place in the order by which the queue is read anyway, so it costs no index.
 */
import { TokenBuckets } from '../../concurrency/rate-limit.ts';
import type { SubmittingMailbox } from './submitted-mail.ts';

/**
 * By how much earlier the mail of such a mailbox is due. So long mail of others waits for it at most: nothing that comes later than that
 * passes it.
 */
export const PRIORITY_BOOST_S = 3_600;
/** Recipients: as many as one message may have, and ten a minute after that. */
const AT_ONCE = 100;
const PER_SECOND = 1 / 6;

/** Each process counts for itself: with several, a mailbox has a little more. */
export class PriorityBoosts {
  readonly #left = new TokenBuckets(PER_SECOND, AT_ONCE, () => performance.now());

  /** Whether a message has one, which counts for the next ones. */
  take({ projectId, mailboxId }: SubmittingMailbox, recipients: number): boolean {
    return this.#left.take(`${projectId} ${mailboxId}`, recipients).allowed;
  }
}
