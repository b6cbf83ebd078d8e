/** A provider that delivers directly to the recipients' mail servers. */
import { hash } from 'node:crypto';
import { LoadingCache } from '../../../db/loading-cache.ts';
import { BoundedMap } from '../../../concurrency/bounded-map.ts';
import type { WorkerShare } from '../../../concurrency/share.ts';
import type { DnsResolver } from '../../../net/dns.ts';
import type { TrustedCertificates } from '../../../net/tls.ts';
import { destinationOf } from '../destination-of.ts';
import type { Destinations, OutboundMessage, Outcome, Provider } from '../provider.ts';
import { localReply, SmtpAttemptReply } from '../smtp/attempt-reply.ts';
import { SmtpConnectionBudget } from '../smtp/connection-budget.ts';
import type { Timings } from '../smtp/timings.ts';
import { Transcript } from '../smtp/transcript.ts';
import { HostAddressBook } from './host-addresses.ts';
import { findSite, type SiteRoute } from './route.ts';
import type { Shaping } from './shaping.ts';
import { DestinationSite, type SiteOptions } from './site.ts';
import type { SiteSessionsOptions } from './site-sessions.ts';
import type { StsPolicies } from './sts-policies.ts';
import { TIMINGS } from './timings.ts';
import { resultOf } from './tls-outcomes.ts';
import type { TlsResults } from './tls-results.ts';
import { TroubledHosts } from './troubled-hosts.ts';

export interface DirectOptions {
  /** This server's domain name. Used in EHLO, and to recognize MX records that point to this server. */
  heloName: string;
  resolver: Pick<DnsResolver, 'mx' | 'a' | 'aaaa'>;
  /** The SMTP port of the recipients' servers. */
  mxPort: number;
  /** Connections to this machine and to private networks are allowed only in development. */
  environment: 'development' | 'production';
  shaping: Pick<Shaping, 'ruleFor'>;
  stsPolicies: Pick<StsPolicies, 'find'>;
  tlsResults: Pick<TlsResults, 'record'>;
  /** Returns this worker's share of each site's limits. */
  share: () => WorkerShare;
  /** Defaults: `TIMINGS`. */
  timings?: Partial<Timings>;
  /** Default: the certificates that Node trusts. */
  ca?: TrustedCertificates;
  /** A random number from 0 up to but not including 1. */
  random?: () => number;
}

/**
 * The maximum number of messages in flight. Most of these messages are waiting for a server, being composed, or having their outcome
 * written.
 */
const CAPACITY = 1_000;
const MAX_CONNECTIONS = 500;
/** The maximum number of messages in flight for a destination whose site is not known yet. */
const CAPACITY_OF_UNKNOWN = 10;
/** The maximum number of destinations whose route and site are cached for `capacityLeft`. */
const MAX_DESTINATIONS = 10_000;
const ROUTE_TTL_MS = 5 * 60_000;
const MAX_SITES = 10_000;

export class Direct implements Provider, Destinations {
  readonly isFinal = true;
  readonly capacity = CAPACITY;
  readonly maxConnections = MAX_CONNECTIONS;
  readonly destinations = this;
  readonly #options: DirectOptions;
  readonly #routes = new LoadingCache<SiteRoute>({
    ttlMs: ROUTE_TTL_MS,
    maxEntries: MAX_DESTINATIONS,
    // Failures are not cached: each attempt queries DNS again, and attempts at such a destination are rare.
    mayCache: ({ outcome }) => outcome === 'site',
    nowMs: () => performance.now(),
  });
  readonly #sessions: SiteSessionsOptions;
  readonly #budget = new SmtpConnectionBudget(MAX_CONNECTIONS);
  /** Sites used recently. */
  readonly #sites = new Map<string, DestinationSite>();
  /** The site that each destination used last. */
  readonly #latest = new BoundedMap<string, DestinationSite>(MAX_DESTINATIONS);
  /** The number of messages that wait for the route of their destination, by destination. */
  readonly #unrouted = new Map<string, number>();
  #isClosed = false;

  constructor(options: DirectOptions) {
    const { heloName, resolver, environment, timings, ca, random = Math.random } = options;
    this.#options = options;
    this.#sessions = {
      heloName,
      timings: { ...TIMINGS, ...timings },
      ca,
      port: options.mxPort,
      book: new HostAddressBook({ resolver, allowPrivate: environment === 'development' }),
      troubled: new TroubledHosts(),
      random,
    };
  }

  capacityLeft(destination: string): number {
    const waiting = this.#unrouted.get(destination) ?? 0;
    return (this.#latest.get(destination)?.capacityLeft ?? CAPACITY_OF_UNKNOWN) - waiting;
  }

  hasSlot(destination: string): boolean {
    return this.#latest.get(destination)?.hasSlot ?? true;
  }

  /** Called after shares have changed. */
  adapt(): void {
    for (const site of this.#sites.values()) site.adapt();
  }

  send(message: OutboundMessage): Promise<Outcome> {
    const destination = destinationOf(message.rcptTo);
    const known = this.#routes.get(destination, () =>
      findSite(destination, this.#options, this.#options.heloName.toLowerCase()),
    );
    if (!(known instanceof Promise)) return this.#follow(known, destination, message);
    return this.#wait(destination, known).then((route) => this.#follow(route, destination, message));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#sites.values()].map((site) => site.close()));
  }

  async #wait(destination: string, known: Promise<SiteRoute>): Promise<SiteRoute> {
    this.#unrouted.set(destination, (this.#unrouted.get(destination) ?? 0) + 1);
    try {
      return await known;
    } finally {
      const left = (this.#unrouted.get(destination) ?? 0) - 1;
      if (left > 0) this.#unrouted.set(destination, left);
      else this.#unrouted.delete(destination);
    }
  }

  async #follow(route: SiteRoute, destination: string, message: OutboundMessage): Promise<Outcome> {
    if (this.#isClosed) return refusal({ outcome: 'failed', text: 'The service is stopping' });
    if (route.outcome !== 'site') return refusal(route);
    const outcome = await this.#siteOf(destination, route).send(message, destination);
    if (outcome.outcome === 'transient' && outcome.scope === 'host') {
      // The domain may have moved to another server, so the next attempt queries DNS again.
      this.#routes.forget(destination);
      for (const host of route.hosts.groups.flat()) this.#sessions.book.forget(host);
    }
    return outcome;
  }

  #siteOf(destination: string, route: Extract<SiteRoute, { outcome: 'site' }>): DestinationSite {
    const { key, hosts, policy } = route;
    const { shaping, tlsResults } = this.#options;
    const rule = shaping.ruleFor(destination, hosts.names);
    const siteKey = `${key} ${rule.name ?? ''}`;
    let site = this.#sites.get(siteKey);
    if (site === undefined) {
      const onAttempt: SiteOptions['onAttempt'] = (policyDomain, mxHost, session) => {
        const result = resultOf(policyDomain, mxHost, session, policy);
        if (result !== null) tlsResults.record(result);
      };
      site = new DestinationSite(rule, {
        hosts,
        sessions: this.#sessions,
        budget: this.#budget,
        onAttempt,
        share: this.#options.share,
        slotRotation: hash('sha1', siteKey, 'buffer').readUInt32BE(),
      });
      this.#sites.set(siteKey, site);
      if (this.#sites.size > MAX_SITES) this.#forgetSite();
    }
    site.rule = rule;
    if (this.#latest.get(destination) !== site) this.#latest.set(destination, site);
    return site;
  }

  /** Drops the oldest site that is not in use. */
  #forgetSite(): void {
    for (const [key, site] of this.#sites) {
      if (!site.isUnused) continue;
      this.#sites.delete(key);
      return;
    }
  }
}

function refusal(route: Exclude<SiteRoute, { outcome: 'site' }>): Outcome {
  const noPeer = { remoteMta: null, tls: false };
  const reply = new SmtpAttemptReply(localReply(route.text), noPeer, new Transcript());
  return route.outcome === 'unroutable'
    ? { outcome: 'unroutable', reason: route.reason, reply, bestHosts: route.bestHosts }
    : { outcome: 'transient', reply, scope: 'host' };
}
