import { BoundedMap } from '../../../concurrency/bounded-map.ts';
import { destinationOf as domainOf } from '../destination-of.ts';
import type { Outcome } from '../provider.ts';

const MAX_SENDERS = 1_000;

/**
 * Interprets the closing of a connection by the server at a sender's MAIL. If the server has accepted mail from the sender before, the
 * server limits the rate; otherwise it may reject only this sender. If every closed connection slowed down sending, one sender with a bad
 * reputation would slow down all other senders.
 */
export class AcceptedSenders {
  readonly #senders = new BoundedMap<string, true>(MAX_SENDERS);

  /**
   * @param mailFrom the reverse-path of the message with the outcome
   * @returns whether the outcome concerns only the sender, and not how much mail the server accepts
   */
  concernsSender(mailFrom: string, outcome: Outcome): boolean {
    const sender = domainOf(mailFrom);
    if (outcome.outcome === 'accepted') this.#senders.set(sender, true);
    return outcome.outcome === 'transient' && outcome.scope === 'sender' && !this.#senders.delete(sender);
  }
}
