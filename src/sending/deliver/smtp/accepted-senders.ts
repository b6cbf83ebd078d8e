import { BoundedMap } from '../../../concurrency/bounded-map.ts';
import { destinationOf as domainOf } from '../destination-of.ts';
import type { Outcome } from '../provider.ts';

const MAX_SENDERS = 1_000;

/**
 * Tells whether a server that hangs up on a sender wants less mail, or none of that sender: it wants less when it took mail of
 * the sender before. If every such refusal counted, a sender with a bad name would slow down the mail of all others.
 */
export class AcceptedSenders {
  readonly #senders = new BoundedMap<string, true>(MAX_SENDERS);

  /**
   * @param mailFrom reverse-path of the message that had the outcome
   * @returns whether the outcome says nothing of how much mail the server wants
   */
  concernsSender(mailFrom: string, outcome: Outcome): boolean {
    const sender = domainOf(mailFrom);
    if (outcome.outcome === 'accepted') this.#senders.set(sender, true);
    return outcome.outcome === 'transient' && outcome.scope === 'sender' && !this.#senders.delete(sender);
  }
}
