/** Rate limits: a token bucket for each key, in memory. Of several processes each counts for itself, and has its part of the limit. */
import { BoundedMap } from './bounded-map.ts';

/** The result of taking a token. */
export interface RateLimitResult {
  allowed: boolean;
  /** Whole tokens left. */
  remaining: number;
  /** Until the bucket is full again. */
  resetSeconds: number;
  /** Until there is a token again; at least 1. */
  retryAfterSeconds: number;
}

/** More buckets than this are not kept, whatever is sent: those that gave a token the longest ago start anew. */
const MAX_BUCKETS = 65_536;
/** A sum of many rounded steps must not cost the last token. */
const ROUNDING_MS = 1e-6;

/**
 * A bucket is one number: the time at which it will be full (the generic cell rate algorithm). Taking a token
 * moves that time by `1 / perSecond`; it may lie at most `capacity` tokens ahead. A bucket that is full says
 * nothing, so it need not be kept.
 */
export class TokenBuckets {
  readonly #perSecond: number;
  readonly #capacity: number;
  readonly #nowMs: () => number;
  readonly #processes: () => number;
  readonly #fullAtMs = new BoundedMap<string, number>(MAX_BUCKETS);
  /** Before this no bucket is looked for that is full. */
  #nextLookMs = 0;

  /**
   * @param nowMs a clock that never goes back
   * @param processes how many share the limit at present
   */
  constructor(perSecond: number, capacity: number, nowMs: () => number, processes: () => number = () => 1) {
    this.#perSecond = perSecond;
    this.#capacity = capacity;
    this.#nowMs = nowMs;
    this.#processes = processes;
  }

  /** Tokens of this process in a full bucket. */
  get capacity(): number {
    return Math.max(Math.floor(this.#capacity / this.#processes()), 1);
  }

  get #tokenMs(): number {
    return (1_000 * this.#processes()) / this.#perSecond;
  }

  /** How many buckets are held. */
  get size(): number {
    return this.#fullAtMs.size;
  }

  /** @param count tokens, all of them or none */
  take(key: string, count = 1): RateLimitResult {
    const nowMs = this.#nowMs();
    const tokenMs = this.#tokenMs;
    const known = this.#fullAtMs.get(key);
    if (known === undefined) this.#forgetFull(nowMs);
    const aheadMs = Math.max((known ?? 0) - nowMs, 0);
    const burstMs = this.capacity * tokenMs;
    const askedMs = count * tokenMs;
    const allowed = aheadMs + askedMs <= burstMs + ROUNDING_MS;
    const newAheadMs = allowed ? aheadMs + askedMs : aheadMs;
    if (allowed) this.#fullAtMs.set(key, nowMs + newAheadMs);
    const waitMs = newAheadMs + tokenMs - burstMs;
    return {
      allowed,
      ...this.#left(newAheadMs),
      retryAfterSeconds: Math.max(1, Math.ceil((waitMs - ROUNDING_MS) / 1_000)),
    };
  }

  /** What is left, without taking any of it. */
  look(key: string): Pick<RateLimitResult, 'remaining' | 'resetSeconds'> {
    const aheadMs = Math.max((this.#fullAtMs.get(key) ?? 0) - this.#nowMs(), 0);
    return this.#left(aheadMs);
  }

  #left(aheadMs: number): Pick<RateLimitResult, 'remaining' | 'resetSeconds'> {
    const tokenMs = this.#tokenMs;
    const burstMs = this.capacity * tokenMs;
    return {
      remaining: Math.max(0, Math.floor((burstMs - aheadMs + ROUNDING_MS) / tokenMs)),
      resetSeconds: Math.max(0, Math.ceil((aheadMs - ROUNDING_MS) / 1_000)),
    };
  }

  /**
   * The oldest come first, and one that is not full holds up the rest for no longer than a whole burst. Until then the next look would
   * end at it too; to reach the first entry of a Map takes long where many were deleted before it.
   */
  #forgetFull(nowMs: number): void {
    if (nowMs < this.#nextLookMs) return;
    for (const [key, fullAtMs] of this.#fullAtMs) {
      if (fullAtMs > nowMs) {
        this.#nextLookMs = fullAtMs;
        return;
      }
      this.#fullAtMs.delete(key);
    }
  }
}

const BURST_SECONDS = 10;

/**
 * Of what each API key may ask for.
 * @param perSecond requests of each in a second, with a burst of ten times as many; 0: no limit at all
 * @param processes how many share the limit at present
 */
export function bucketsOfKeys(perSecond: number, processes: () => number): TokenBuckets | null {
  if (perSecond === 0) return null;
  return new TokenBuckets(perSecond, perSecond * BURST_SECONDS, () => performance.now(), processes);
}
