/** How much mail a site, or a smart host, gets at once, as its servers' answers teach. */

/** What it may be asked for at most. */
export interface PaceLimits {
  maxConnections: number;
  /** May be a fraction; null: no limit. */
  maxMessagesPerSecond: number | null;
}

const FIRST_WINDOW = 10;
const FIRST_CONNECTIONS = 2;
/** A connection holds two. The others are being composed, or their outcome is being written. */
const MESSAGES_PER_CONNECTION = 10;
/** What is in flight on a connection should be gone after this: what comes next may be another project's. */
const SLOW_MS = 1_000;
/** How much one transaction counts in the average; it counts as no longer than this, or than twice the average. */
const WEIGHT = 0.2;
const QUICK_MS = 200;
/** Messages that were under way when the server asked for less get the same answer. They count as one. */
const DEAF_MS = 5_000;
/** After that long without complaint one more connection is tried. */
const RECOVERY_MS = 60_000;

/** Connections that were added to those of a slow server, to see whether it takes more over more of them. */
interface Trial {
  from: number;
  /** How long a message took before. */
  averageMs: number;
  /** No round has begun with the new connections yet. */
  isFresh: boolean;
}

/**
 * The window is the number of messages in flight. Like the number of connections it doubles with every window full of
 * good answers, and is halved when the server asks for less; from then on connections come back one by one. A slow server that
 * takes no more over more connections keeps the few: messages would only wait there instead of here, where other mail can
 * go before them. Messages begin by a token bucket. Knows no clock: every call brings its time.
 */
export class Pace {
  #limits: PaceLimits;
  #window = FIRST_WINDOW;
  #connections: number;
  /** Good answers since the window last changed. */
  #round = 0;
  #trial: Trial | null = null;
  /** How long a message takes of late, from its MAIL on; null before the first. */
  #averageMs: number | null = null;
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
    const inTime = Math.max(Math.floor(SLOW_MS / Math.max(this.#averageMs ?? 1, 1)), 1);
    return Math.min(this.#window, this.#connections * Math.min(inTime, MESSAGES_PER_CONNECTION));
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
    const averageMs = this.#averageMs ?? tookMs;
    const counted = Math.min(tookMs, Math.max(2 * averageMs, QUICK_MS));
    this.#averageMs = averageMs + (counted - averageMs) * WEIGHT;
    this.#round += 1;
    if (this.#round >= this.window) this.#endRound(this.#averageMs, nowMs);
    if (this.#recoversAtMs !== null && nowMs >= this.#recoversAtMs) {
      this.#recoversAtMs = nowMs + RECOVERY_MS;
      this.#grow(this.#connections + 1, this.#averageMs);
    }
  }

  #endRound(averageMs: number, nowMs: number): void {
    this.#round = 0;
    if (this.#trial !== null && !this.#hasPassed(this.#trial, averageMs, nowMs)) return;
    this.#window = Math.min(this.#window * 2, this.#limits.maxConnections * MESSAGES_PER_CONNECTION);
    if (this.#recoversAtMs === null) this.#grow(this.#connections * 2, averageMs);
  }

  #grow(connections: number, averageMs: number): void {
    const from = this.#connections;
    this.#connections = Math.min(connections, this.#limits.maxConnections);
    if (averageMs > SLOW_MS && this.#connections > from) this.#trial = { from, averageMs, isFresh: true };
  }

  /** Whether the server takes more over the connections that were added; else they go, and are tried again later. */
  #hasPassed(trial: Trial, averageMs: number, nowMs: number): boolean {
    if (trial.isFresh) {
      // What was in flight before has its answers now.
      trial.isFresh = false;
      return false;
    }
    this.#trial = null;
    // What a server takes in a second is what it has in flight, by how long each takes (Little's law).
    const growth = this.#connections / trial.from;
    const gain = growth * (trial.averageMs / averageMs);
    if (averageMs <= SLOW_MS || gain >= (1 + growth) / 2) return true;
    this.#connections = Math.min(trial.from, this.#connections);
    this.#recoversAtMs = nowMs + RECOVERY_MS;
    return false;
  }

  /** The server asked for less, or broke down under what it had. */
  tooFast(nowMs: number): void {
    this.#round = 0;
    this.#trial = null;
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
