/** From a destination to its site, remembered for some minutes. */
import { LoadingCache } from '../../../db/loading-cache.ts';
import type { MaybePromise } from '../../../model/maybe-promise.ts';
import type { DnsResolver } from '../../../net/dns.ts';
import { mxMatches, type StsPolicy } from '../../../rfc/mta-sts/index.ts';
import { findRoute, type Route } from './route.ts';
import type { SiteHosts } from './site-sessions.ts';
import type { StsPolicies } from './sts-policies.ts';

const TTL_MS = 5 * 60_000;
const MAX_DESTINATIONS = 10_000;

export type SiteRoute =
  | {
      outcome: 'site';
      /** Domains with the same hosts, in the same order, share a site. A domain with a policy has a site of its own. */
      key: string;
      hosts: SiteHosts;
      /** The MTA-STS policy, in mode `enforce` or `testing`. */
      policy: StsPolicy | null;
    }
  | Exclude<Route, { outcome: 'hosts' }>;

export interface RouteCacheOptions {
  resolver: Pick<DnsResolver, 'mx'>;
  /** This server's name, in lower case. */
  ownName: string;
  stsPolicies: Pick<StsPolicies, 'find'>;
}

export class RouteCache {
  readonly #options: RouteCacheOptions;
  readonly #known = new LoadingCache<SiteRoute>({
    ttlMs: TTL_MS,
    maxEntries: MAX_DESTINATIONS,
    // A failure is not kept: each try asks again, and tries are rare.
    keeps: ({ outcome }) => outcome === 'site',
    nowMs: () => performance.now(),
  });

  constructor(options: RouteCacheOptions) {
    this.#options = options;
  }

  to(destination: string): MaybePromise<SiteRoute> {
    return this.#known.get(destination, () => this.#find(destination));
  }

  /** The next try asks DNS again. */
  forget(destination: string): void {
    this.#known.forget(destination);
  }

  async #find(destination: string): Promise<SiteRoute> {
    const { resolver, ownName, stsPolicies } = this.#options;
    const [route, found] = await Promise.all([
      findRoute(destination, resolver, ownName),
      // RFC 8461, section 3.1: a policy is a domain's.
      destination.startsWith('[') ? null : stsPolicies.find(destination),
    ]);
    if (route.outcome !== 'hosts') return route;
    const policy = found?.mode === 'none' ? null : found;
    const isEnforced = policy?.mode === 'enforce';
    const groups = isEnforced ? allowedBy(policy, route.groups) : route.groups;
    if (groups.length === 0) {
      // RFC 8461, section 5.1: the message waits, for the policy or the MX records may be put right.
      return { outcome: 'failed', text: `The MTA-STS policy of ${destination} allows none of its MX hosts` };
    }
    const hosts: SiteHosts = { names: groups.flat(), groups, tls: isEnforced ? 'verified' : 'opportunistic' };
    const key = JSON.stringify(policy === null ? groups : [destination, groups, policy.mode]);
    return { outcome: 'site', key, hosts, policy };
  }
}

/** RFC 8461, section 5.1: a host that does not match the policy gets no mail. */
function allowedBy(policy: StsPolicy, groups: SiteHosts['groups']): SiteHosts['groups'] {
  return groups
    .map((group) => group.filter((host) => mxMatches(policy, host)))
    .filter((group) => group.length > 0);
}
