/**
 * The state of one webhook in a worker: how its receiver responds, and how many attempts may be in flight.
 *
 * The webhook's share of the slots starts small, doubles with each round of good responses, and drops to one after a failure or a slow
 * response.
 */
import type { WebhookKey } from './claim-deliveries.ts';

/** The health of a receiver. A slow receiver counts as `failing` too, because it also occupies its slots for a long time. */
export type Health = 'good' | 'unproven' | 'failing';

const FIRST_SHARE = 4;
const MAX_SHARE = 64;
/** A receiver that takes longer than this to respond is slow, and its share of slots drops to one. */
export const SLOW_MS = 2_000;
/**
 * A receiver that responds within this time is quick. Deliveries to a quick receiver are claimed ahead, because its slots would otherwise
 * be empty during a claim.
 */
const QUICK_MS = 200;
/** The number of deliveries claimed ahead, as a multiple of the receiver's share of slots. */
const AHEAD = 4;

/** Something to send. It occupies a slot while it is in flight. */
export interface Sendable {
  delivery: { emailId: string | null };
}

export class Endpoint<Item extends Sendable> {
  readonly key: WebhookKey;
  health: Health;
  #share: number;
  /** The number of consecutive good responses since the share last changed. */
  #goodAnswers = 0;
  #isQuick = false;
  /** The number of deliveries that are claimed and not loaded yet. */
  loading = 0;
  /** Items that are loaded and wait for a slot. */
  waiting: Item[] = [];
  inFlight = 0;
  /**
   * The emails of the attempts in flight. Only one event per email is in flight, because a second event could overtake the first event on
   * another connection.
   */
  readonly #emailsInFlight = new Set<string>();

  constructor(key: WebhookKey, health: Health) {
    this.key = key;
    this.health = health;
    this.#share = health === 'failing' ? 1 : FIRST_SHARE;
  }

  get isIdle(): boolean {
    return this.loading + this.waiting.length + this.inFlight === 0;
  }

  /** Whether the share allows another attempt now. */
  get isReady(): boolean {
    return this.inFlight < this.#share && this.#nextAt() !== -1;
  }

  /** Removes the first waiting item that may be sent now. The item counts as in flight from then on. */
  begin(): Item | undefined {
    const at = this.#nextAt();
    const [item] = at === -1 ? [] : this.waiting.splice(at, 1);
    if (item === undefined) return undefined;
    this.inFlight += 1;
    if (item.delivery.emailId !== null) this.#emailsInFlight.add(item.delivery.emailId);
    return item;
  }

  ended({ delivery }: Item): void {
    this.inFlight -= 1;
    if (delivery.emailId !== null) this.#emailsInFlight.delete(delivery.emailId);
  }

  #nextAt(): number {
    return this.waiting.findIndex(
      ({ delivery: { emailId } }) => emailId === null || !this.#emailsInFlight.has(emailId),
    );
  }

  /**
   * The number of deliveries to claim next. Stays 0 while enough deliveries are waiting, because one large claim is cheaper than many small
   * claims.
   */
  get claimLimit(): number {
    const atMost = this.#isQuick ? this.#share * (1 + AHEAD) : this.#share;
    const notBegun = this.loading + this.waiting.length;
    const more = atMost - notBegun - this.inFlight;
    return notBegun === 0 || more >= atMost / 2 ? Math.max(more, 0) : 0;
  }

  /** Adjusts the share after a response, or after an attempt without a response. */
  answered(succeeded: boolean, durationMs: number): void {
    const isGood = succeeded && durationMs <= SLOW_MS;
    this.health = isGood ? 'good' : 'failing';
    this.#isQuick = isGood && durationMs <= QUICK_MS;
    this.#goodAnswers = isGood ? this.#goodAnswers + 1 : 0;
    if (!isGood) this.#share = 1;
    else if (this.#goodAnswers >= this.#share && this.#share < MAX_SHARE) {
      this.#share *= 2;
      this.#goodAnswers = 0;
    }
  }
}
