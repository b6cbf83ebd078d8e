/** Rate limits: a token bucket for each key, in memory. Each of several processes counts for itself. */
import { BoundedMap } from './bounded-map.ts';

/** The result of taking a token. */
export interface Taken {
  allowed: boolean;
  /** Whole tokens left. */
  remaining: number;
  /** Until the bucket is full again. */
  resetSeconds: number;
  /** Until there is a token again; at least 1. */
  retryAfterSeconds: number;
}

/** More buckets than this are not kept, whatever is sent: the one that gave a token the longest ago starts anew. */
const MAX_BUCKETS = 65_536;
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
  readonly #fullAtMs = new BoundedMap<string, number>(MAX_BUCKETS);

  /** @param nowMs a clock that never goes back */
  constructor(perSecond: number, capacity: number, nowMs: () => number) {
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
    if (known === undefined) this.#forgetFull(nowMs);
    const aheadMs = Math.max((known ?? 0) - nowMs, 0);
    const burstMs = this.capacity * this.#tokenMs;
    const allowed = aheadMs + this.#tokenMs <= burstMs + ROUNDING_MS;
    const newAheadMs = allowed ? aheadMs + this.#tokenMs : aheadMs;
    if (allowed) this.#fullAtMs.set(key, nowMs + newAheadMs);
    const waitMs = newAheadMs + this.#tokenMs - burstMs;
    return {
      allowed,
      ...this.#left(newAheadMs),
      retryAfterSeconds: Math.max(1, Math.ceil((waitMs - ROUNDING_MS) / 1_000)),
    };
  }

  /** What is left, without taking any of it. */
  look(key: string): Pick<Taken, 'remaining' | 'resetSeconds'> {
    const aheadMs = Math.max((this.#fullAtMs.get(key) ?? 0) - this.#nowMs(), 0);
    return this.#left(aheadMs);
  }

  #left(aheadMs: number): Pick<Taken, 'remaining' | 'resetSeconds'> {
    const burstMs = this.capacity * this.#tokenMs;
    return {
      remaining: Math.max(0, Math.floor((burstMs - aheadMs + ROUNDING_MS) / this.#tokenMs)),
      resetSeconds: Math.max(0, Math.ceil((aheadMs - ROUNDING_MS) / 1_000)),
    };
  }

  /** The oldest come first, and one that is not full holds the rest up for no longer than a whole burst. */
  #forgetFull(nowMs: number): void {
    for (const [key, fullAtMs] of this.#fullAtMs) {
      if (fullAtMs > nowMs) return;
      this.#fullAtMs.delete(key);
    }
  }
}
