/** How much mail a site gets at once, as its servers' answers teach. */

import type { Limits } from './shaping-file.ts';

/** What a site may be asked for at most. */
export type PaceLimits = Pick<Limits, 'maxConnections' | 'maxMessagesPerSecond'>;

const FIRST_WINDOW = 10;
const FIRST_CONNECTIONS = 2;
/** A connection holds two. The others are being composed, or their outcome is being written. */
const MESSAGES_PER_CONNECTION = 10;
/** A server that takes longer for a message gets one message per connection at a time. */
const SLOW_MS = 1_000;
/** How much one transaction counts in the average. */
const WEIGHT = 0.2;
/** Messages that were under way when the server asked for less get the same answer. They count as one. */
const DEAF_MS = 5_000;
/** After that long without complaint one more connection is tried. */
const RECOVERY_MS = 60_000;

/**
 * The window is the number of messages in flight. Like the number of connections it doubles with every window full of
 * good answers, and is halved when the server asks for less; from then on connections come back one by one. Messages
 * begin by a token bucket. Knows no clock: every call brings its time.
 */
export class Pace {
  #limits: PaceLimits;
  #window = FIRST_WINDOW;
  #connections: number;
  /** Good answers since the window last changed. */
  #round = 0;
  #averageMs = 0;
  #deafUntilMs = Number.NEGATIVE_INFINITY;
  /** Null until the server first asks for less. */
  #recoversAtMs: number | null = null;
  #tokens: number;
  #tokensAtMs = Number.NEGATIVE_INFINITY;

  constructor(limits: PaceLimits) {
    this.#limits = limits;
    this.#connections = Math.min(FIRST_CONNECTIONS, limits.maxConnections);
    this.#tokens = burst(limits);
  }

  set limits(limits: PaceLimits) {
    if (limits === this.#limits) return;
    this.#limits = limits;
    this.#connections = Math.min(this.#connections, limits.maxConnections);
    this.#tokens = Math.min(this.#tokens, burst(limits));
  }

  get maxConnections(): number {
    return this.#connections;
  }

  get window(): number {
    const isSlow = this.#averageMs > SLOW_MS;
    return Math.min(this.#window, this.#connections * (isSlow ? 1 : MESSAGES_PER_CONNECTION));
  }

  /**
   * @param inFlight messages that have no outcome
   * @param waiting those of them that have not begun
   */
  capacityLeft(inFlight: number, waiting: number, nowMs: number): number {
    this.#refill(nowMs);
    return Math.max(Math.min(this.window - inFlight, Math.floor(this.#tokens) - waiting), 0);
  }

  /** A message is to begin. @returns 0: it may; else after how many milliseconds to ask again */
  begin(nowMs: number): number {
    if (this.#limits.maxMessagesPerSecond === null) return 0;
    this.#refill(nowMs);
    if (this.#tokens < 1) return Math.ceil(((1 - this.#tokens) * 1_000) / this.#limits.maxMessagesPerSecond);
    this.#tokens -= 1;
    return 0;
  }

  /** The server took or refused a message, and did not ask for less. */
  good(tookMs: number, nowMs: number): void {
    this.#averageMs += (tookMs - this.#averageMs) * WEIGHT;
    const { maxConnections } = this.#limits;
    this.#round += 1;
    if (this.#round >= this.window) {
      this.#round = 0;
      this.#window = Math.min(this.#window * 2, maxConnections * MESSAGES_PER_CONNECTION);
      if (this.#recoversAtMs === null) this.#connections = Math.min(this.#connections * 2, maxConnections);
    }
    if (this.#recoversAtMs !== null && nowMs >= this.#recoversAtMs) {
      this.#connections = Math.min(this.#connections + 1, maxConnections);
      this.#recoversAtMs = nowMs + RECOVERY_MS;
    }
  }

  /** The server asked for less, or broke down under what it had. */
  tooFast(nowMs: number): void {
    this.#round = 0;
    this.#recoversAtMs = nowMs + RECOVERY_MS;
    if (nowMs < this.#deafUntilMs) return;
    this.#deafUntilMs = nowMs + DEAF_MS;
    this.#window = Math.max(Math.floor(this.window / 2), 1);
    this.#connections = Math.max(Math.floor(this.#connections / 2), 1);
  }

  /** No server answers. When one is back, its mail starts slowly again. */
  away(): void {
    this.#window = Math.min(this.#window, FIRST_WINDOW);
    this.#round = 0;
  }

  #refill(nowMs: number): void {
    const { maxMessagesPerSecond } = this.#limits;
    const elapsedMs = Math.max(nowMs - this.#tokensAtMs, 0);
    this.#tokensAtMs = nowMs;
    if (maxMessagesPerSecond === null) this.#tokens = Number.POSITIVE_INFINITY;
    else {
      const earned = this.#tokens + (elapsedMs / 1_000) * maxMessagesPerSecond;
      this.#tokens = Math.min(earned, burst(this.#limits));
    }
  }
}

/** Messages that may go at once after a pause: those of a second. */
function burst({ maxMessagesPerSecond }: PaceLimits): number {
  return maxMessagesPerSecond === null ? Number.POSITIVE_INFINITY : Math.max(maxMessagesPerSecond, 1);
}
