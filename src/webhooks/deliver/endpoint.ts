/**
 * What a worker knows of one webhook: how its receiver answers, and how much may be on its way to it.
 *
 * The share starts small, doubles with each round of good answers, and falls to one with a failure or a slow answer.
 */
import type { WebhookKey } from './claim-deliveries.ts';

/** Slow receivers are `failing` too: both kinds hold their slots for long. */
export type Health = 'good' | 'unproven' | 'failing';

const FIRST_SHARE = 4;
const MAX_SHARE = 64;
/** A receiver that takes longer than this is not given more at once. */
export const SLOW_MS = 2_000;
/** For a receiver that answers within this, deliveries are claimed ahead: its slots would be empty while a claim runs. */
const QUICK_MS = 200;
/** As a multiple of the share. */
const AHEAD = 4;

/** What a slot holds. */
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
  /** Attempts that have begun and not ended. */
  inFlight = 0;
  /** Their emails. Each email has one event in flight: a second one could overtake it on another connection. */
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

  /** Takes the first one that waits and may go out now: it is in flight from here on. */
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

  /** How many more to claim. 0 while enough wait: larger claims are cheaper. */
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
