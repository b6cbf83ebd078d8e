/**
 * What a worker knows of one webhook: how its receiver answers, and how much may be on its way to it.
 *
 * The share starts small, doubles with each round of good answers, and falls to one with a failure or a slow answer.
 */
import type { WebhookKey } from './claim-deliveries.ts';

/** Slow ones are `failing` too: both hold their slots for long. */
export type Health = 'good' | 'unproven' | 'failing';

const FIRST_SHARE = 4;
const MAX_SHARE = 64;
/** A receiver that takes longer than this is not given more at once. */
export const SLOW_MS = 2_000;
/** Who answers within this gets deliveries claimed ahead, or its slots would be empty for as long as a claim takes. */
const QUICK_MS = 200;
/** In shares. */
const AHEAD = 4;

/** What a slot is for. */
export interface Sendable {
  delivery: { emailId: string | null };
}

export class Endpoint<Item extends Sendable> {
  readonly key: WebhookKey;
  health: Health;
  #share: number;
  /** Good answers since the share last changed. */
  #goodAnswers = 0;
  #isQuick = false;
  /** Claimed, and not yet loaded. */
  loading = 0;
  /** Loaded, and waiting for a slot. */
  waiting: Item[] = [];
  /** On their way. */
  inFlight = 0;
  /** The emails that they tell of: of each one event at a time, or the next could overtake it on another connection. */
  readonly #emailsInFlight = new Set<string>();

  constructor(key: WebhookKey, health: Health) {
    this.key = key;
    this.health = health;
    this.#share = health === 'failing' ? 1 : FIRST_SHARE;
  }

  get isIdle(): boolean {
    return this.loading + this.waiting.length + this.inFlight === 0;
  }

  /** Whether its share lets one more go out now. */
  get isReady(): boolean {
    return this.inFlight < this.#share && this.#nextAt() !== -1;
  }

  /** The first that waits and may go out now, which is on its way from here on. */
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

  /** How many more to claim. None while enough are at hand: larger claims are cheaper. */
  get claimLimit(): number {
    const atMost = this.#isQuick ? this.#share * (1 + AHEAD) : this.#share;
    const notBegun = this.loading + this.waiting.length;
    const more = atMost - notBegun - this.inFlight;
    return notBegun === 0 || more >= atMost / 2 ? Math.max(more, 0) : 0;
  }

  /** Learns from an answer, or from its absence. */
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
