/** A site: the hosts that several destinations share, with the connections to these hosts and their pace. */
import { partOf, type WorkerShare, shareAmong } from '../../../concurrency/share.ts';
import { greylisted } from '../../replies/greylisted.ts';
import type { Outcome, OutboundMessage } from '../provider.ts';
import type { SmtpConnectionBudget } from '../smtp/connection-budget.ts';
import { type Transfer, newTransfer } from '../smtp/transaction.ts';
import { ConnectionPool } from '../smtp/connection-pool.ts';
import { Pace, type PaceLimits } from '../smtp/pace.ts';
import { AcceptedSenders } from '../smtp/accepted-senders.ts';
import type { ShapingRule } from './shaping-file.ts';
import {
  openSiteSession,
  type SessionSeeker,
  type SiteHosts,
  type SiteSessionsOptions,
  type AttemptedSession,
} from './site-sessions.ts';

export interface SiteOptions {
  hosts: SiteHosts;
  sessions: SiteSessionsOptions;
  budget: SmtpConnectionBudget;
  /** Returns this worker's share of the site's limits. */
  share: () => WorkerShare;
  /** If there are more workers than slots, this number decides which workers get a slot. Not negative. */
  slotRotation: number;
  /** Called for each host that was tried. @param destination the destination of the message that needed the session */
  onAttempt(destination: string, host: string, session: AttemptedSession): void;
}

export class DestinationSite {
  readonly #pool: ConnectionPool;
  readonly #pace: Pace;
  readonly #options: Pick<SiteOptions, 'share' | 'slotRotation'>;
  readonly #taken = new AcceptedSenders();
  #rule: ShapingRule;
  #hasSlot = true;
  #inFlight = 0;
  /** The destination of the most recent message. */
  #destination = '';

  constructor(rule: ShapingRule, { hosts, sessions, budget, onAttempt, share, slotRotation }: SiteOptions) {
    this.#options = { share, slotRotation };
    this.#rule = rule;
    this.#pace = new Pace(this.#takePart());
    const seeker: SessionSeeker = {
      isOpenWith: (host) => this.#pool.isOpenWith(host),
      onAttempt: (host, session) => onAttempt(this.#destination, host, session),
    };
    this.#pool = new ConnectionPool({
      role: 'destination',
      timings: sessions.timings,
      open: (signal) => openSiteSession(hosts, sessions, signal, seeker),
      waitMs: () => this.#pace.begin(performance.now()),
      maxConnections: () => (this.#hasSlot ? this.#pace.maxConnections : 0),
      maxMessages: () => this.#rule.maxMessagesPerConnection,
      budget,
      onDown: () => this.#pace.away(),
      onCrowded: () => this.#pace.tooFast(performance.now()),
      onUseless: ({ remoteMta }) => sessions.troubled.add(remoteMta, performance.now()),
    });
  }

  /** Whether the site can be dropped. Dropping the site loses only its pace. */
  get isUnused(): boolean {
    return this.#inFlight === 0 && this.#pool.isUnused;
  }

  /** The number of further messages for the site that should be in flight. */
  get capacityLeft(): number {
    if (!this.#hasSlot) return 0;
    return this.#pace.capacityLeft(this.#inFlight, this.#pool.waiting, performance.now());
  }

  /** Whether this worker may use the site. */
  get hasSlot(): boolean {
    return this.#hasSlot;
  }

  set rule(rule: ShapingRule) {
    if (rule === this.#rule) return;
    this.#rule = rule;
    this.adapt();
  }

  /** Called after this worker's share or the limits have changed. */
  adapt(): void {
    this.#pace.limits = this.#takePart();
    this.#pool.adapt();
  }

  /**
   * Updates this worker's part of the limits. A worker with a slot gets at least one connection and, if the rate is limited, one message
   * per second.
   */
  #takePart(): PaceLimits {
    const { maxConnections, maxMessagesPerSecond } = this.#rule;
    const places =
      maxMessagesPerSecond === null
        ? maxConnections
        : Math.min(maxConnections, Math.max(Math.floor(maxMessagesPerSecond), 1));
    const share = shareAmong(places, this.#options.share(), this.#options.slotRotation);
    this.#hasSlot = share !== null;
    // Without a slot, a part is still needed, because messages that began before the slot was lost are still sent.
    const part = share ?? { index: places - 1, count: places };
    return {
      maxConnections: partOf(maxConnections, part),
      maxMessagesPerSecond: maxMessagesPerSecond === null ? null : maxMessagesPerSecond / part.count,
    };
  }

  send(message: OutboundMessage, destination: string): Promise<Outcome> {
    if (!this.#hasSlot) return Promise.resolve({ outcome: 'abandoned', isElsewhere: true });
    this.#destination = destination;
    this.#inFlight += 1;
    return new Promise((resolve) => {
      const transfer = newTransfer(message, (outcome) => {
        this.#inFlight -= 1;
        this.#learn(transfer, outcome);
        resolve(outcome);
      });
      this.#pool.submit(transfer);
    });
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  #learn({ begunAtMs, message }: Transfer, outcome: Outcome): void {
    if (begunAtMs === null || outcome.outcome === 'abandoned') return;
    if (this.#taken.concernsSender(message.mailFrom, outcome)) return;
    const nowMs = performance.now();
    if (limitsRate(outcome)) this.#pace.tooFast(nowMs);
    else this.#pace.good(nowMs - begunAtMs, nowMs);
  }
}

/**
 * Whether the server limits the rate: 421, a rejection of every client, an enhanced code X.7.z (RFC 3463) other than greylisting, or no
 * reply.
 */
function limitsRate(outcome: Exclude<Outcome, { outcome: 'abandoned' }>): boolean {
  if (outcome.outcome !== 'transient') return false;
  const { replyCode, enhancedCode } = outcome.reply;
  return (
    outcome.scope === 'host' ||
    replyCode === null ||
    replyCode === 421 ||
    (enhancedCode?.startsWith('4.7.') === true && greylisted(outcome.reply) === null)
  );
}
