/** The hosts that several destinations share: their connections, and how fast they may be used. */
import { greylisted } from '../../replies/greylisted.ts';
import type { Outcome, OutboundMessage } from '../provider.ts';
import type { ConnectionBudget } from '../smtp/connection-budget.ts';
import { type Transfer, newTransfer } from '../smtp/transaction.ts';
import { ConnectionPool } from '../smtp/connection-pool.ts';
import { Pace } from '../smtp/pace.ts';
import type { ShapingRule } from './shaping-file.ts';
import {
  openSiteSession,
  type SessionSeeker,
  type SiteHosts,
  type SiteSessionsOptions,
  type TriedSession,
} from './site-sessions.ts';

export interface SiteOptions {
  hosts: SiteHosts;
  sessions: SiteSessionsOptions;
  budget: ConnectionBudget;
  /** Called for each host that was tried. @param destination whose mail it was for */
  onTried(destination: string, host: string, session: TriedSession): void;
}

export class Site {
  readonly #pool: ConnectionPool;
  readonly #pace: Pace;
  #rule: ShapingRule;
  #inFlight = 0;
  /** The destination of the latest message. */
  #destination = '';

  constructor(rule: ShapingRule, { hosts, sessions, budget, onTried }: SiteOptions) {
    this.#rule = rule;
    this.#pace = new Pace(rule);
    const seeker: SessionSeeker = {
      isOpenWith: (host) => this.#pool.isOpenWith(host),
      onTried: (host, session) => onTried(this.#destination, host, session),
    };
    this.#pool = new ConnectionPool({
      role: 'destination',
      timings: sessions.timings,
      open: (signal) => openSiteSession(hosts, sessions, signal, seeker),
      waitMs: () => this.#pace.begin(performance.now()),
      maxConnections: () => this.#pace.maxConnections,
      maxMessages: () => this.#rule.maxMessagesPerConnection,
      budget,
      onDown: () => this.#pace.away(),
      onCrowded: () => this.#pace.tooFast(performance.now()),
      onUseless: ({ remoteMta }) => sessions.troubled.add(remoteMta, performance.now()),
    });
  }

  /** Whether the site can be forgotten: only its pace has to be learnt again. */
  get isUnused(): boolean {
    return this.#inFlight === 0 && this.#pool.isUnused;
  }

  /** How many more messages it makes sense to have in flight. */
  get capacityLeft(): number {
    return this.#pace.capacityLeft(this.#inFlight, this.#pool.waiting, performance.now());
  }

  set rule(rule: ShapingRule) {
    this.#rule = rule;
    this.#pace.limits = rule;
  }

  send(message: OutboundMessage, destination: string): Promise<Outcome> {
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

  #learn({ begunAtMs }: Transfer, outcome: Outcome): void {
    if (begunAtMs === null || outcome.outcome === 'abandoned') return;
    const nowMs = performance.now();
    if (asksForLess(outcome)) this.#pace.tooFast(nowMs);
    else this.#pace.good(nowMs - begunAtMs, nowMs);
  }
}

/** 421, a refusal of every client, an enhanced code of X.7.z (RFC 3463) that is not greylisting, or no reply at all. */
function asksForLess(outcome: Exclude<Outcome, { outcome: 'abandoned' }>): boolean {
  if (outcome.outcome !== 'transient') return false;
  const { replyCode, enhancedCode } = outcome.reply;
  return (
    outcome.scope === 'host' ||
    replyCode === null ||
    replyCode === 421 ||
    (enhancedCode?.startsWith('4.7.') === true && greylisted(outcome.reply) === null)
  );
}
