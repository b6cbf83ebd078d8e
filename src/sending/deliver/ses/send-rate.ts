/** How many messages a second SES gets: as many as the account may send, fewer after SES said that they were too many. */
import { type WorkerShare, shareAmong } from '../../../concurrency/share.ts';

/** Most accounts in production may send at least this many. */
const FIRST_RATE = 14;
const LEAST_RATE = 0.2;
/** Where the account's rate is not known. */
const MAX_RATE = 1_000;
/** By how much the rate grows in a second, while it is what mail waits for. */
const GROWTH = 1.05;
const GROWTH_MS = 1_000;
/** Messages that were under way when SES said so get the same answer. They count as one. */
const DEAF_MS = 1_000;
/** After that the rate begins to grow again. */
const RECOVERY_MS = 5_000;
/** Turns that were missed by up to this long may be taken at once. */
const SLACK_MS = 100;

/** When a message may go. */
export interface SendSlot {
  waitMs: number;
  /** Turns that were given before SES asked for less are void. */
  round: number;
}

/** The rates are those of all workers together, which share them. Knows no clock: every call brings its time. */
export class SendRate {
  readonly #share: () => WorkerShare;
  /** What the account may send; null: unknown. */
  #limit: number | null = null;
  #rate = FIRST_RATE;
  #nextMs = Number.NEGATIVE_INFINITY;
  #round = 0;
  #deafUntilMs = Number.NEGATIVE_INFINITY;
  #growsAtMs = Number.NEGATIVE_INFINITY;
  /** Whether a message had to wait since the rate last changed. */
  #isNarrow = false;

  constructor(share: () => WorkerShare) {
    this.#share = share;
  }

  /** Whether this worker has a part of the rate: of a message a second there are no two halves. */
  get hasPart(): boolean {
    return shareAmong(this.#parts, this.#share()) !== null;
  }

  /** Messages a second at present, of this worker where it has a part. */
  get perSecond(): number {
    return this.#rate / Math.min(this.#share().count, this.#parts);
  }

  get #parts(): number {
    return Math.max(Math.floor(this.#limit ?? FIRST_RATE), 1);
  }

  /** @param perSecond what the account may send */
  set limit(perSecond: number) {
    const limit = Math.max(perSecond, LEAST_RATE);
    if (this.#limit === null || this.#rate > limit) this.#rate = limit;
    this.#limit = limit;
  }

  /** Gives each message its turn, in the order of the calls. */
  take(nowMs: number): SendSlot {
    const atMs = Math.max(this.#nextMs, nowMs - SLACK_MS);
    this.#nextMs = atMs + 1_000 / this.perSecond;
    const waitMs = Math.max(Math.ceil(atMs - nowMs), 0);
    if (waitMs > 0) this.#isNarrow = true;
    return { waitMs, round: this.#round };
  }

  /** Whether another turn has to be taken. */
  isVoid({ round }: SendSlot): boolean {
    return round !== this.#round;
  }

  /** SES took a message. */
  good(nowMs: number): void {
    if (!this.#isNarrow || nowMs < this.#growsAtMs) return;
    this.#isNarrow = false;
    this.#growsAtMs = nowMs + GROWTH_MS;
    this.#rate = Math.min(this.#rate * GROWTH, this.#limit ?? MAX_RATE);
  }

  /** SES said that messages come too fast. */
  tooFast(nowMs: number): void {
    if (nowMs < this.#deafUntilMs) return;
    this.#deafUntilMs = nowMs + DEAF_MS;
    this.#round += 1;
    this.#rate = Math.max(this.#rate / 2, LEAST_RATE);
    this.#nextMs = this.#deafUntilMs;
    this.#growsAtMs = nowMs + RECOVERY_MS;
  }
}
