/** Decides how much mail a site or a smart host gets at once, from the replies of its servers. */

/** The upper limits. */
export interface PaceLimits {
  maxConnections: number;
  /** May be a fraction. Null: no limit. */
  maxMessagesPerSecond: number | null;
}

const FIRST_WINDOW = 10;
const FIRST_CONNECTIONS = 2;
/**
 * The maximum number of messages in flight per connection. Two of them are on the connection; the others are being composed, or their
 * outcome is being written.
 */
const MESSAGES_PER_CONNECTION = 10;
/** The messages in flight on a connection should be finished within this time, because the next message may belong to another project. */
const SLOW_MS = 1_000;
/**
 * The weight of one transaction in the average duration. To limit the effect of outliers, a duration counts as at most twice the average,
 * or as `QUICK_MS` if that is more.
 */
const WEIGHT = 0.2;
const QUICK_MS = 200;
/** When a server limits the rate, it says so in reply to all messages in flight. Such replies within this time count as one. */
const IGNORE_REPEATS_MS = 5_000;
/** After this time without a reply that limits the rate, one more connection is tried. */
const RECOVERY_MS = 60_000;

/** A trial of additional connections to a slow server, to see whether it accepts more mail with them. */
interface Trial {
  from: number;
  /** The average duration of a message before the trial. */
  averageMs: number;
  /** Whether no round with the additional connections has begun yet. */
  isFresh: boolean;
}

/**
 * The window is the number of messages in flight. The window and the number of connections double with every full window of good replies,
 * and are halved when the server limits the rate. After that, connections are added back one by one. If a slow server accepts no more mail
 * over more connections, it keeps few connections: with more, messages would only wait at the server instead of in the queue, where other
 * mail can overtake them. A token bucket decides when messages begin. The class reads no clock: the caller passes the time.
 */
export class Pace {
  #limits: PaceLimits;
  #window = FIRST_WINDOW;
  #connections: number;
  /** The number of good replies since the window last changed. */
  #round = 0;
  #trial: Trial | null = null;
  /** The recent average duration of a message, from MAIL to the outcome. Null before the first outcome. */
  #averageMs: number | null = null;
  #ignoreUntilMs = Number.NEGATIVE_INFINITY;
  /** When the next connection is added back. Null until the server limits the rate for the first time. */
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
   * @param inFlight the number of messages without an outcome
   * @param waiting the number of messages in flight that have not begun
   */
  capacityLeft(inFlight: number, waiting: number, nowMs: number): number {
    this.#refill(nowMs);
    return Math.max(Math.min(this.window - inFlight, Math.floor(this.#tokens) - waiting), 0);
  }

  /** Called before a message begins. @returns 0 if the message may begin; otherwise the milliseconds until the next call */
  begin(nowMs: number): number {
    if (this.#limits.maxMessagesPerSecond === null) return 0;
    this.#refill(nowMs);
    if (this.#tokens < 1) return Math.ceil(((1 - this.#tokens) * 1_000) / this.#limits.maxMessagesPerSecond);
    this.#tokens -= 1;
    return 0;
  }

  /** Called when the server has accepted or rejected a message without limiting the rate. */
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

  /** Whether the server accepts more mail with the added connections. If not, the added connections are removed and tried again later. */
  #hasPassed(trial: Trial, averageMs: number, nowMs: number): boolean {
    if (trial.isFresh) {
      // By now, all messages that were in flight at the start of the trial have their replies.
      trial.isFresh = false;
      return false;
    }
    this.#trial = null;
    // Throughput is the number of messages in flight divided by their duration (Little's law).
    const growth = this.#connections / trial.from;
    const gain = growth * (trial.averageMs / averageMs);
    if (averageMs <= SLOW_MS || gain >= (1 + growth) / 2) return true;
    this.#connections = Math.min(trial.from, this.#connections);
    this.#recoversAtMs = nowMs + RECOVERY_MS;
    return false;
  }

  /** Called when the server limited the rate, or failed under the load. */
  tooFast(nowMs: number): void {
    this.#round = 0;
    this.#trial = null;
    this.#recoversAtMs = nowMs + RECOVERY_MS;
    if (nowMs < this.#ignoreUntilMs) return;
    this.#ignoreUntilMs = nowMs + IGNORE_REPEATS_MS;
    this.#window = Math.max(Math.floor(this.window / 2), 1);
    this.#connections = Math.max(Math.floor(this.#connections / 2), 1);
  }

  /** Called when no server of the site can be reached. When a server can be reached again, mail to it starts slowly. */
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

/** The number of messages that may begin at once after a pause: the messages of one second. */
function burst({ maxMessagesPerSecond }: PaceLimits): number {
  return maxMessagesPerSecond === null ? Number.POSITIVE_INFINITY : Math.max(maxMessagesPerSecond, 1);
}
