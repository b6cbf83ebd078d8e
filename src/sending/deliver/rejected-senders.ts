/** Senders that destinations refuse, as far as a worker knows: all that the database has of the destinations in its memory. */
import { BoundedMap } from '../../concurrency/bounded-map.ts';
import { domainOf, nameOfSender } from '../../queue/rejected-senders.ts';
import { DestinationAvailability } from './destination-state.ts';

/** Senders at destinations whose last answer is remembered. Beyond that one is refused for a minute where it need not be. */
const MAX_ANSWERS = 10_000;

export class RejectedSenders {
  /** By what their mail waits for. */
  readonly #senders = new Map<string, DestinationAvailability>();
  /** By the same name, on the clock of `performance.now`: when a destination last took or refused a message of the sender of its own accord. */
  readonly #answers = new BoundedMap<string, number>(MAX_ANSWERS);

  /** What mail waits for under this name. */
  get(name: string): DestinationAvailability {
    let sender = this.#senders.get(name);
    if (sender === undefined) {
      sender = new DestinationAvailability(name);
      this.#senders.set(name, sender);
    }
    return sender;
  }

  /** What mail of the sender to the domain has to wait for; null: nothing. */
  find(domain: string, sender: string): DestinationAvailability | null {
    if (this.#senders.size === 0) return null;
    const found = this.#senders.get(nameOfSender(domain, sender));
    return found === undefined || found.unavailable === null ? null : found;
  }

  /** Its mail is taken again, or none of it waits any more. */
  delete(name: string): void {
    this.#senders.delete(name);
  }

  /** Those whose time is over: until the database says what has become of them their mail waits. */
  get due(): DestinationAvailability[] {
    return [...this.#senders.values()].filter(
      ({ state, delayMs }) => state.kind === 'closed' && delayMs === 0,
    );
  }

  /** Forgets those of domains that are forgotten. @param isKnown asked for each domain */
  sweep(isKnown: (domain: string) => boolean): void {
    for (const [name, { state }] of this.#senders)
      if (state.kind !== 'probing' && !isKnown(domainOf(name))) this.#senders.delete(name);
  }

  /** A destination took or refused a message of the sender of its own accord. */
  answered(name: string): void {
    this.#answers.set(name, performance.now());
  }

  /** @param sinceMs on the clock of `performance.now` */
  hasAnsweredSince(name: string, sinceMs: number): boolean {
    return (this.#answers.get(name) ?? Number.NEGATIVE_INFINITY) > sinceMs;
  }
}
