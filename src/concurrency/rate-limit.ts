/** Rate limits: a token bucket for each key, in memory. Each process counts separately and enforces its share of the limit. */
import { BoundedMap } from './bounded-map.ts';

/** The result of taking a token. */
export interface RateLimitResult {
  allowed: boolean;
  /** The number of whole tokens left. */
  remaining: number;
  /** Seconds until the bucket is full again. */
  resetSeconds: number;
  /** Seconds until the next token; at least 1. */
  retryAfterSeconds: number;
}

/** The maximum number of buckets in memory. Beyond this number, the least recently used buckets are dropped and start full again. */
const MAX_BUCKETS = 65_536;
/** A tolerance for rounding errors. Over many steps, they could otherwise add up until the last token of a burst is refused. */
const ROUNDING_MS = 1e-6;

/**
 * A bucket is one number: the time at which the bucket will be full (the generic cell rate algorithm). Taking a token moves that time `1 /
 * perSecond` seconds later, up to `capacity / perSecond` seconds from now. A full bucket is not stored, because it is the same as one that
 * was never used.
 */
export class TokenBuckets {
  readonly #perSecond: number;
  readonly #capacity: number;
  readonly #nowMs: () => number;
  readonly #processes: () => number;
  readonly #fullAtMs = new BoundedMap<string, number>(MAX_BUCKETS);
  /** The next time at which full buckets are dropped. */
  #nextScanMs = 0;

  /**
   * @param nowMs a monotonic clock
   * @param processes the number of processes that currently share the limit
   */
  constructor(perSecond: number, capacity: number, nowMs: () => number, processes: () => number = () => 1) {
    this.#perSecond = perSecond;
    this.#capacity = capacity;
    this.#nowMs = nowMs;
    this.#processes = processes;
  }

  /** The tokens of a full bucket in this process. */
  get capacity(): number {
    return Math.max(Math.floor(this.#capacity / this.#processes()), 1);
  }

  get #tokenMs(): number {
    return (1_000 * this.#processes()) / this.#perSecond;
  }

  /** The number of buckets in memory. */
  get size(): number {
    return this.#fullAtMs.size;
  }

  /** Takes `count` tokens, or no token if fewer are left. */
  take(key: string, count = 1): RateLimitResult {
    const nowMs = this.#nowMs();
    const tokenMs = this.#tokenMs;
    const known = this.#fullAtMs.get(key);
    if (known === undefined) this.#forgetFull(nowMs);
    const aheadMs = Math.max((known ?? 0) - nowMs, 0);
    const burstMs = this.capacity * tokenMs;
    const costMs = count * tokenMs;
    const allowed = aheadMs + costMs <= burstMs + ROUNDING_MS;
    const newAheadMs = allowed ? aheadMs + costMs : aheadMs;
    if (allowed) this.#fullAtMs.set(key, nowMs + newAheadMs);
    const waitMs = newAheadMs + tokenMs - burstMs;
    return {
      allowed,
      ...this.#left(newAheadMs),
      retryAfterSeconds: Math.max(1, Math.ceil((waitMs - ROUNDING_MS) / 1_000)),
    };
  }

  /** Reads a bucket without taking a token. */
  peek(key: string): Pick<RateLimitResult, 'remaining' | 'resetSeconds'> {
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
   * Drops full buckets, the least recently used first. The scan stops at the first bucket that is not full, and the next scan does not
   * begin before that bucket is full. Scans must be rare, because after many deletions it takes long to reach the first entry of a Map.
   */
  #forgetFull(nowMs: number): void {
    if (nowMs < this.#nextScanMs) return;
    for (const [key, fullAtMs] of this.#fullAtMs) {
      if (fullAtMs > nowMs) {
        this.#nextScanMs = fullAtMs;
        return;
      }
      this.#fullAtMs.delete(key);
    }
  }
}

const FAILURES_A_MINUTE = 1_000;

/** The limit on failed authentications with an API key, by client network. @param processes as in `bucketsOfKeys` */
export function bucketsOfFailures(processes: () => number): TokenBuckets {
  return new TokenBuckets(FAILURES_A_MINUTE / 60, FAILURES_A_MINUTE, () => performance.now(), processes);
}

const BURST_SECONDS = 10;

/**
 * The rate limit of API keys.
 * @param perSecond requests per key and second, with bursts of ten times as many; 0 means no limit
 * @param processes the number of processes that currently share the limit
 */
export function bucketsOfKeys(perSecond: number, processes: () => number): TokenBuckets | null {
  if (perSecond === 0) return null;
  return new TokenBuckets(perSecond, perSecond * BURST_SECONDS, () => performance.now(), processes);
}
