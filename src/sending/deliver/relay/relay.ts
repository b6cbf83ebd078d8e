import { partOf, type WorkerShare, shareAmong } from '../../../concurrency/share.ts';
import type { OutboundMessage, Outcome, Provider } from '../provider.ts';
import { ConnectionPool } from '../smtp/connection-pool.ts';
import { type SmtpSessionOptions, type SmartHostAddress, smartHost } from '../smtp/host-address.ts';
import { Pace, type PaceLimits } from '../smtp/pace.ts';
import { newTransfer, type Transfer } from '../smtp/transaction.ts';
import { openSession } from '../smtp/host-session.ts';
import { AcceptedSenders } from '../smtp/accepted-senders.ts';
import { TIMINGS, type Timings } from '../smtp/timings.ts';
import { Transcript } from '../smtp/transcript.ts';

export interface RelayOptions extends Omit<SmtpSessionOptions, 'timings'> {
  /** The connection limit for all workers together. Default: 10. */
  maxConnections?: number;
  /** Returns this worker's share of the connections. */
  share: () => WorkerShare;
  /** The number of messages after which a connection is replaced. Default: 1,000. */
  maxMessages?: number;
  /** Defaults: `TIMINGS`. */
  timings?: Partial<Timings>;
}

const FIRST_BACKOFF_MS = 1_000;
const LAST_BACKOFF_MS = 60_000;

/** A provider that sends all mail to one smart host over SMTP. */
export class Relay implements Provider {
  readonly isFinal = false;
  readonly destinations = null;
  readonly #pool: ConnectionPool;
  readonly #pace: Pace;
  readonly #maxConnections: number;
  readonly #share: () => WorkerShare;
  /** The number of connections that this worker may have now. 0 if other workers have all connections. */
  #part = 0;
  readonly #accepted = new AcceptedSenders();
  #backoffMs = FIRST_BACKOFF_MS;
  /** When the next probe may begin. Null unless the host is known to be unavailable. */
  #awayUntil: number | null = null;

  constructor(address: SmartHostAddress, options: RelayOptions) {
    const { maxConnections = 10, maxMessages = 1_000, timings, share, ...rest } = options;
    this.#maxConnections = maxConnections;
    this.#share = share;
    this.#pace = new Pace(this.#takePart());
    const host = smartHost(address);
    const sessionOptions = { ...rest, timings: { ...TIMINGS, ...timings } };
    this.#pool = new ConnectionPool({
      role: 'smart-host',
      timings: sessionOptions.timings,
      open: (signal) => openSession(host, sessionOptions, new Transcript(), signal),
      maxConnections: () => Math.min(this.#pace.maxConnections, this.#part),
      maxMessages: () => maxMessages,
      onUp: () => {
        this.#awayUntil = null;
        this.#backoffMs = FIRST_BACKOFF_MS;
      },
      onDown: () => {
        this.#pace.away();
        this.#awayUntil = performance.now() + this.#backoffMs;
        this.#backoffMs = Math.min(this.#backoffMs * 2, LAST_BACKOFF_MS);
      },
    });
  }

  get capacity(): number {
    if (this.#part === 0) return 0;
    if (this.#awayUntil === null) return this.#pace.window;
    return performance.now() < this.#awayUntil ? 0 : 1;
  }

  /** Called after the share has changed. */
  adapt(): void {
    this.#pace.limits = this.#takePart();
    this.#pool.adapt();
  }

  #takePart(): PaceLimits {
    const share = shareAmong(this.#maxConnections, this.#share());
    this.#part = share === null ? 0 : partOf(this.#maxConnections, share);
    return { maxConnections: Math.max(this.#part, 1), maxMessagesPerSecond: null };
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

  #learn({ begunAtMs, message }: Transfer, outcome: Outcome): void {
    if (begunAtMs === null || outcome.outcome === 'abandoned') return;
    if (this.#accepted.concernsSender(message.mailFrom, outcome)) return;
    const nowMs = performance.now();
    // Other 4xx replies may come from a recipient's server, so they do not show how much mail the smart host itself accepts.
    if (outcome.outcome === 'transient' && outcome.reply.replyCode === 421) this.#pace.tooFast(nowMs);
    else this.#pace.good(nowMs - begunAtMs, nowMs);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
