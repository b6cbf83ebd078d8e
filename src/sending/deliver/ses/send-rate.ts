/**
 * Limits the number of messages sent to SES per second: to the account's rate, or to a lower rate after SES has reported that the rate was
 * too high.
 */
import { type WorkerShare, shareAmong } from '../../../concurrency/share.ts';

/** The initial rate in messages per second. Most production accounts may send at least this much. */
const FIRST_RATE = 14;
const LEAST_RATE = 0.2;
/** The maximum rate if the account's rate is unknown. */
const MAX_RATE = 1_000;
/** The factor by which the rate grows each second while mail waits for a slot. */
const GROWTH = 1.05;
const GROWTH_MS = 1_000;
/** When SES reports "too fast", it reports this for all messages in flight. All such responses within this time count as one. */
const IGNORE_REPEATS_MS = 1_000;
/** After this time without a "too fast" response, the rate begins to grow again. */
const RECOVERY_MS = 5_000;
/** A slot that lies at most this far in the past may still be used, at once. */
const SLACK_MS = 100;

/** When a message may be sent. */
export interface SendSlot {
  waitMs: number;
  /** A new round begins whenever SES reports "too fast". Slots of earlier rounds are void. */
  round: number;
}

/** The rate limit of one worker. Rates are totals that all workers share. The class reads no clock: the caller passes the time. */
export class SendRate {
  readonly #share: () => WorkerShare;
  /** The account's rate in messages per second. Null if unknown. */
  #limit: number | null = null;
  #rate = FIRST_RATE;
  #nextMs = Number.NEGATIVE_INFINITY;
  #round = 0;
  #ignoreUntilMs = Number.NEGATIVE_INFINITY;
  #growsAtMs = Number.NEGATIVE_INFINITY;
  /** Whether a message had to wait since the rate last changed. */
  #isNarrow = false;

  constructor(share: () => WorkerShare) {
    this.#share = share;
  }

  /** Whether this worker has a share of the rate. A rate of one message per second is not divided between workers. */
  get hasPart(): boolean {
    return shareAmong(this.#parts, this.#share()) !== null;
  }

  /** The current messages per second of this worker, if it has a share. */
  get perSecond(): number {
    return this.#rate / Math.min(this.#share().count, this.#parts);
  }

  get #parts(): number {
    return Math.max(Math.floor(this.#limit ?? FIRST_RATE), 1);
  }

  /** @param perSecond the account's rate in messages per second */
  set limit(perSecond: number) {
    const limit = Math.max(perSecond, LEAST_RATE);
    if (this.#limit === null || this.#rate > limit) this.#rate = limit;
    this.#limit = limit;
  }

  /** Assigns each message a slot, in the order of the calls. */
  take(nowMs: number): SendSlot {
    const atMs = Math.max(this.#nextMs, nowMs - SLACK_MS);
    this.#nextMs = atMs + 1_000 / this.perSecond;
    const waitMs = Math.max(Math.ceil(atMs - nowMs), 0);
    if (waitMs > 0) this.#isNarrow = true;
    return { waitMs, round: this.#round };
  }

  /** Whether the slot is void, in which case the message needs a new one. */
  isVoid({ round }: SendSlot): boolean {
    return round !== this.#round;
  }

  /** Called when SES has accepted a message. */
  good(nowMs: number): void {
    if (!this.#isNarrow || nowMs < this.#growsAtMs) return;
    this.#isNarrow = false;
    this.#growsAtMs = nowMs + GROWTH_MS;
    this.#rate = Math.min(this.#rate * GROWTH, this.#limit ?? MAX_RATE);
  }

  /** Called when SES has reported that the rate is too high. */
  tooFast(nowMs: number): void {
    if (nowMs < this.#ignoreUntilMs) return;
    this.#ignoreUntilMs = nowMs + IGNORE_REPEATS_MS;
    this.#round += 1;
    this.#rate = Math.max(this.#rate / 2, LEAST_RATE);
    this.#nextMs = this.#ignoreUntilMs;
    this.#growsAtMs = nowMs + RECOVERY_MS;
  }
}
