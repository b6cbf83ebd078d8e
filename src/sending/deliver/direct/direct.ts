/** A provider that delivers to the recipients' own servers. */
import { BoundedMap } from '../../../model/bounded-map.ts';
import type { DnsResolver } from '../../../net/dns.ts';
import { destinationOf } from '../destination-of.ts';
import type { Destinations, OutboundMessage, Outcome, Provider } from '../provider.ts';
import { ownWords, SmtpAttemptReply } from '../smtp/attempt-reply.ts';
import { ConnectionBudget } from '../smtp/connection-budget.ts';
import type { Timings } from '../smtp/timings.ts';
import { Transcript } from '../smtp/transcript.ts';
import { type SiteRoute, RouteCache } from './route-cache.ts';
import { HostAddressBook } from './host-addresses.ts';
import type { Shaping } from './shaping.ts';
import { type Site, Sites } from './site.ts';
import type { SiteSessionsOptions } from './site-sessions.ts';
import type { StsPolicies } from './sts-policies.ts';
import { TIMINGS } from './timings.ts';
import { resultOf } from './tls-outcomes.ts';
import type { TlsResults } from './tls-results.ts';
import { TroubledHosts } from './troubled-hosts.ts';

export interface DirectOptions {
  /** This server's domain: what EHLO says, and what an MX record names that points back here. */
  heloName: string;
  resolver: Pick<DnsResolver, 'mx' | 'a' | 'aaaa'>;
  /** The port of the recipients' servers. */
  mxPort: number;
  /** In development servers on this machine and in private networks are dialled too. */
  environment: 'development' | 'production';
  shaping: Pick<Shaping, 'ruleFor'>;
  stsPolicies: Pick<StsPolicies, 'find'>;
  tlsResults: Pick<TlsResults, 'record'>;
  /** Defaults: `TIMINGS`. */
  timings?: Partial<Timings>;
  /** At least 0, less than 1. */
  random?: () => number;
}

/** Messages in flight. Most wait for a server, are being composed, or their outcome is being written. */
const CAPACITY = 1_000;
const MAX_CONNECTIONS = 500;
/** For a destination whose site is not known yet. */
const CAPACITY_OF_UNKNOWN = 10;
/** Destinations whose site is remembered for `capacityLeft`. */
const MAX_DESTINATIONS = 10_000;

export function createDirect(options: DirectOptions): Provider & { destinations: Destinations } {
  return new Direct(options);
}

class Direct implements Provider, Destinations {
  readonly isFinal = true;
  readonly capacity = CAPACITY;
  readonly destinations = this;
  readonly #options: DirectOptions;
  readonly #routes: RouteCache;
  readonly #sessions: SiteSessionsOptions;
  readonly #budget = new ConnectionBudget(MAX_CONNECTIONS);
  readonly #sites = new Sites();
  /** The latest site of each destination. */
  readonly #latest = new BoundedMap<string, Site>(MAX_DESTINATIONS);
  /** Messages for a destination that wait for its site to be known. */
  readonly #unrouted = new Map<string, number>();
  #isClosed = false;

  constructor(options: DirectOptions) {
    const { heloName, resolver, environment, timings, random = Math.random } = options;
    this.#options = options;
    this.#routes = new RouteCache({ ...options, ownName: heloName.toLowerCase() });
    this.#sessions = {
      heloName,
      timings: { ...TIMINGS, ...timings },
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

  send(message: OutboundMessage): Promise<Outcome> {
    const destination = destinationOf(message.rcptTo);
    const known = this.#routes.to(destination);
    if (!(known instanceof Promise)) return this.#follow(known, destination, message);
    return this.#wait(destination, known).then((route) => this.#follow(route, destination, message));
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#sites.close();
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
      // Its owner may have moved it: the next try asks DNS again.
      this.#routes.forget(destination);
      for (const host of route.hosts.groups.flat()) this.#sessions.book.forget(host);
    }
    return outcome;
  }

  #siteOf(destination: string, route: Extract<SiteRoute, { outcome: 'site' }>): Site {
    const { key, hosts, policy } = route;
    const { shaping, tlsResults } = this.#options;
    const rule = shaping.ruleFor(destination, hosts.names);
    const site = this.#sites.obtain(`${key} ${rule.name ?? ''}`, rule, () => ({
      hosts,
      sessions: this.#sessions,
      budget: this.#budget,
      onSession: (report) => {
        const result = resultOf(report, policy);
        if (result !== null) tlsResults.record(result);
      },
    }));
    if (this.#latest.get(destination) !== site) this.#latest.set(destination, site);
    return site;
  }
}

function refusal(route: Exclude<SiteRoute, { outcome: 'site' }>): Outcome {
  const nobody = { remoteMta: null, tls: false };
  const reply = new SmtpAttemptReply(ownWords(route.text), nobody, new Transcript());
  return route.outcome === 'unroutable'
    ? { outcome: 'unroutable', reason: route.reason, reply }
    : { outcome: 'transient', reply, scope: 'host' };
}
