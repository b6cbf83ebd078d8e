/** Senders that destinations reject, as far as a worker knows: all that the database has for the destinations in the worker's memory. */
import { BoundedMap } from '../../concurrency/bounded-map.ts';
import { domainOf, nameOfSender } from '../../queue/rejected-senders.ts';
import { DestinationAvailability } from './destination-state.ts';

/** Pairs of sender and destination whose last answer is cached. Without a cached answer mail of the sender may wait a minute unnecessarily. */
const MAX_ANSWERS = 10_000;

export class RejectedSenders {
  /** Rejected senders, by the name under which their mail is parked. */
  readonly #senders = new Map<string, DestinationAvailability>();
  /** When the destination last accepted or rejected a message of the sender, on the clock of `performance.now`, by the name of the sender. */
  readonly #answers = new BoundedMap<string, number>(MAX_ANSWERS);

  /** The state of a sender, by the name under which its mail is parked. */
  get(name: string): DestinationAvailability {
    let sender = this.#senders.get(name);
    if (sender === undefined) {
      sender = new DestinationAvailability(name);
      this.#senders.set(name, sender);
    }
    return sender;
  }

  /** The state that mail of the sender to the domain must wait for; null if the mail need not wait. */
  find(domain: string, sender: string): DestinationAvailability | null {
    if (this.#senders.size === 0) return null;
    const found = this.#senders.get(nameOfSender(domain, sender));
    return found === undefined || found.unavailable === null ? null : found;
  }

  /** Called when the sender's mail is accepted again, or none of it is parked any more. */
  delete(name: string): void {
    this.#senders.delete(name);
  }

  /** Senders whose delay is over. Their mail waits until their state is loaded from the database. */
  get due(): DestinationAvailability[] {
    return [...this.#senders.values()].filter(
      ({ state, delayMs }) => state.kind === 'closed' && delayMs === 0,
    );
  }

  /** Drops senders of domains that were dropped. @param isKnown whether a domain is still in memory */
  sweep(isKnown: (domain: string) => boolean): void {
    for (const [name, { state }] of this.#senders)
      if (state.kind !== 'probing' && !isKnown(domainOf(name))) this.#senders.delete(name);
  }

  /** Called when a destination replied to a message of the sender by accepting or rejecting it. */
  answered(name: string): void {
    this.#answers.set(name, performance.now());
  }

  /** @param sinceMs on the clock of `performance.now` */
  hasAnsweredSince(name: string, sinceMs: number): boolean {
    return (this.#answers.get(name) ?? Number.NEGATIVE_INFINITY) > sinceMs;
  }
}
