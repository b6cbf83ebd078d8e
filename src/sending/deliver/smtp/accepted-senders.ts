import { BoundedMap } from '../../../concurrency/bounded-map.ts';
import { destinationOf as domainOf } from '../destination-of.ts';
import type { Outcome } from '../provider.ts';

const MAX_SENDERS = 1_000;

/**
 * Decides whether a server that hangs up on a sender wants less mail, or no mail from that sender: it wants less if it accepted
 * mail of the sender before. If every hang-up slowed down sending, one sender with a bad reputation would slow down all others.
 */
export class AcceptedSenders {
  readonly #senders = new BoundedMap<string, true>(MAX_SENDERS);

  /**
   * @param mailFrom the reverse-path of the message with the outcome
   * @returns whether the outcome says nothing about how much mail the server accepts
   */
  concernsSender(mailFrom: string, outcome: Outcome): boolean {
    const sender = domainOf(mailFrom);
    if (outcome.outcome === 'accepted') this.#senders.set(sender, true);
    return outcome.outcome === 'transient' && outcome.scope === 'sender' && !this.#senders.delete(sender);
  }
}
