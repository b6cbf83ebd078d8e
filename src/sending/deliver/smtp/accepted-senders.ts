import { BoundedMap } from '../../../concurrency/bounded-map.ts';
import { destinationOf as domainOf } from '../destination-of.ts';
import type { Outcome } from '../provider.ts';

const MAX_SENDERS = 1_000;

/**
 * Decides what it means if a server closes the connection at MAIL. If the server has accepted mail from the sender before, it is limiting
 * the rate. Otherwise it may be rejecting only this sender. The two cases must be told apart, because a sender with a bad reputation would
 * otherwise slow down the mail of all other senders.
 */
export class AcceptedSenders {
  readonly #senders = new BoundedMap<string, true>(MAX_SENDERS);

  /**
   * @param mailFrom the reverse-path of the message that has this outcome
   * @returns whether the outcome concerns only the sender, and does not show how much mail the server accepts
   */
  concernsSender(mailFrom: string, outcome: Outcome): boolean {
    const sender = domainOf(mailFrom);
    if (outcome.outcome === 'accepted') this.#senders.set(sender, true);
    return outcome.outcome === 'transient' && outcome.scope === 'sender' && !this.#senders.delete(sender);
  }
}
