import type { OutboundMessage, Outcome, Provider } from '../provider.ts';
import { ConnectionPool } from '../smtp/connection-pool.ts';
import { type SessionOptions, type SmartHostAddress, smartHost } from '../smtp/host-address.ts';
import { Pace } from '../smtp/pace.ts';
import { newTransfer, type Transfer } from '../smtp/transaction.ts';
import { openSession } from '../smtp/host-session.ts';
import { TIMINGS, type Timings } from '../smtp/timings.ts';
import { Transcript } from '../smtp/transcript.ts';

export interface RelayOptions extends Omit<SessionOptions, 'timings'> {
  /** Default 10. */
  maxConnections?: number;
  /** Messages that one connection carries before it is replaced. Default 1,000. */
  maxMessages?: number;
  /** Defaults: `TIMINGS`. */
  timings?: Partial<Timings>;
}

const FIRST_BACKOFF_MS = 1_000;
const LAST_BACKOFF_MS = 60_000;

/** A provider that hands all mail to one smart host over SMTP. */
export class Relay implements Provider {
  readonly isFinal = false;
  readonly destinations = null;
  readonly #pool: ConnectionPool;
  readonly #pace: Pace;
  #backoffMs = FIRST_BACKOFF_MS;
  /** Null while nothing is known against the host. */
  #awayUntil: number | null = null;

  constructor(address: SmartHostAddress, options: RelayOptions) {
    const { maxConnections = 10, maxMessages = 1_000, timings, ...rest } = options;
    this.#pace = new Pace({ maxConnections, maxMessagesPerSecond: null });
    const host = smartHost(address);
    const sessionOptions = { ...rest, timings: { ...TIMINGS, ...timings } };
    this.#pool = new ConnectionPool({
      role: 'smart-host',
      timings: sessionOptions.timings,
      open: (signal) => openSession(host, sessionOptions, new Transcript(), signal),
      maxConnections: () => this.#pace.maxConnections,
      maxMessages: () => maxMessages,
      onUp: () => {
        this.#awayUntil = null;
        this.#backoffMs = FIRST_BACKOFF_MS;
      },
      onCrowded: () => this.#pace.tooFast(performance.now()),
      onDown: () => {
        this.#pace.away();
        this.#awayUntil = performance.now() + this.#backoffMs;
        this.#backoffMs = Math.min(this.#backoffMs * 2, LAST_BACKOFF_MS);
      },
    });
  }

  get capacity(): number {
    if (this.#awayUntil === null) return this.#pace.window;
    return performance.now() < this.#awayUntil ? 0 : 1;
  }

  send(message: OutboundMessage): Promise<Outcome> {
    return new Promise((resolve) => {
      const transfer = newTransfer(message, (outcome) => {
        this.#learn(transfer, outcome);
        resolve(outcome);
      });
      this.#pool.submit(transfer);
    });
  }

  #learn({ begunAtMs }: Transfer, outcome: Outcome): void {
    if (begunAtMs === null || outcome.outcome === 'abandoned') return;
    const nowMs = performance.now();
    // Its other 4xx may be what a recipient's server told it: that says nothing of how much it takes itself.
    if (outcome.outcome === 'transient' && outcome.reply.replyCode === 421) this.#pace.tooFast(nowMs);
    else this.#pace.good(nowMs - begunAtMs, nowMs);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
