/** Rate limits: one token bucket per key, in memory. With several processes each holds its own. */

/** What taking a token came to. */
export interface Taken {
  allowed: boolean;
  /** Whole tokens left. */
  remaining: number;
  /** Until the bucket is full again. */
  resetSeconds: number;
  /** Until there is a token again; at least 1. */
  retryAfterSeconds: number;
}

/** More buckets than this are not kept, whatever is sent: the older half then starts anew. */
const MAX_BUCKETS = 65_536;
const FIRST_SWEEP = 1_024;
/** A sum of many rounded steps must not cost the last token. */
const ROUNDING_MS = 1e-6;

/**
 * A bucket is one number: the time at which it will be full (the generic cell rate algorithm). Taking a token
 * moves that time by `1 / perSecond`; it may lie at most `capacity` tokens ahead. A bucket that is full says
 * nothing, so it need not be kept.
 */
export class TokenBuckets {
  readonly capacity: number;
  readonly #tokenMs: number;
  readonly #nowMs: () => number;
  readonly #fullAtMs = new Map<string, number>();
  #sweepAt = FIRST_SWEEP;

  /** @param nowMs a clock that never goes back */
  constructor(perSecond: number, capacity: number, nowMs: () => number = () => performance.now()) {
    this.capacity = capacity;
    this.#tokenMs = 1_000 / perSecond;
    this.#nowMs = nowMs;
  }

  /** How many buckets are held. */
  get size(): number {
    return this.#fullAtMs.size;
  }

  take(key: string): Taken {
    const nowMs = this.#nowMs();
    const known = this.#fullAtMs.get(key);
    if (known === undefined && this.#fullAtMs.size >= this.#sweepAt) this.#sweep(nowMs);
    const aheadMs = known === undefined || known < nowMs ? 0 : known - nowMs;
    const burstMs = this.capacity * this.#tokenMs;
    const allowed = aheadMs + this.#tokenMs <= burstMs + ROUNDING_MS;
    const newAheadMs = allowed ? aheadMs + this.#tokenMs : aheadMs;
    if (allowed) this.#fullAtMs.set(key, nowMs + newAheadMs);
    const waitMs = newAheadMs + this.#tokenMs - burstMs;
    return {
      allowed,
      remaining: Math.max(0, Math.floor((burstMs - newAheadMs + ROUNDING_MS) / this.#tokenMs)),
      resetSeconds: Math.ceil((newAheadMs - ROUNDING_MS) / 1_000),
      retryAfterSeconds: Math.max(1, Math.ceil((waitMs - ROUNDING_MS) / 1_000)),
    };
  }

  /** Forgets the full buckets, and of too many others the older half; paid for by the keys that came since. */
  #sweep(nowMs: number): void {
    for (const [key, fullAtMs] of this.#fullAtMs) {
      if (fullAtMs <= nowMs) this.#fullAtMs.delete(key);
    }
    if (this.#fullAtMs.size > MAX_BUCKETS / 2) {
      for (const key of this.#fullAtMs.keys()) {
        if (this.#fullAtMs.size <= MAX_BUCKETS / 2) break;
        this.#fullAtMs.delete(key);
      }
    }
    this.#sweepAt = Math.max(FIRST_SWEEP, 2 * this.#fullAtMs.size);
  }
}
