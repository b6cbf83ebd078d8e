/**
 * Senders that destinations reject, as far as a worker knows. For each destination in its memory, the worker knows all rejected senders in
 * the database.
 */
import { BoundedMap } from '../../concurrency/bounded-map.ts';
import { domainOf, nameOfSender } from '../../queue/rejected-senders.ts';
import { DestinationAvailability } from './destination-state.ts';

/**
 * The maximum number of cached replies, by sender and destination. Without a cached reply, mail from the sender may wait a minute
 * unnecessarily.
 */
const MAX_ANSWERS = 10_000;

export class RejectedSenders {
  /** The states of rejected senders, by the name under which their mail is parked (`nameOfSender`). */
  readonly #senders = new Map<string, DestinationAvailability>();
  /** When the destination last accepted or rejected a message from the sender, on the clock of `performance.now`, by `nameOfSender`. */
  readonly #answers = new BoundedMap<string, number>(MAX_ANSWERS);

  /** The state of a sender. @param name the name under which the sender's mail is parked */
  get(name: string): DestinationAvailability {
    let sender = this.#senders.get(name);
    if (sender === undefined) {
      sender = new DestinationAvailability(name);
      this.#senders.set(name, sender);
    }
    return sender;
  }

  /** Returns the rejected sender if its mail to the domain must wait. Otherwise null. */
  find(domain: string, sender: string): DestinationAvailability | null {
    if (this.#senders.size === 0) return null;
    const found = this.#senders.get(nameOfSender(domain, sender));
    return found === undefined || found.unavailable === null ? null : found;
  }

  /** Called when the sender's mail is accepted again, or no mail from the sender is parked any more. */
  delete(name: string): void {
    this.#senders.delete(name);
  }

  /** Senders whose delay is over. Their mail waits until their state is loaded from the database. */
  get due(): DestinationAvailability[] {
    return [...this.#senders.values()].filter(
      ({ state, delayMs }) => state.kind === 'closed' && delayMs === 0,
    );
  }

  /** Drops senders of domains that are no longer in memory. @param isKnown whether a domain is still in memory */
  sweep(isKnown: (domain: string) => boolean): void {
    for (const [name, { state }] of this.#senders)
      if (state.kind !== 'probing' && !isKnown(domainOf(name))) this.#senders.delete(name);
  }

  /** Called when a destination has replied to a message from the sender by accepting or rejecting it. */
  answered(name: string): void {
    this.#answers.set(name, performance.now());
  }

  /** @param sinceMs a time on the clock of `performance.now` */
  hasAnsweredSince(name: string, sinceMs: number): boolean {
    return (this.#answers.get(name) ?? Number.NEGATIVE_INFINITY) > sinceMs;
  }
}
