/** Finds the hosts that accept mail for a destination (RFC 5321, section 5.1). */
import type { DnsResolver } from '../../../net/dns.ts';
import { mxMatches, type StsPolicy } from '../../../rfc/mta-sts/mta-sts.ts';
import type { SiteHosts } from './site-sessions.ts';
import type { StsPolicies } from './sts-policies.ts';

/** The maximum number of hosts. A longer list is cut to the most preferred hosts. */
const MAX_HOSTS = 10;

/** The MX hosts of a domain. */
export type DomainRoute =
  /**
   * Groups of hosts in the order in which they are tried. The hosts of a group are equally preferred. There is at least one group, and no
   * group is empty.
   */
  | { outcome: 'hosts'; groups: readonly (readonly string[])[] }
  | {
      outcome: 'unroutable';
      reason: 'no_such_domain' | 'no_route';
      text: string;
      /** For `no_route`: the most preferred hosts, if this server is among them; otherwise empty. */
      bestHosts?: readonly string[];
    }
  /** The DNS query failed. */
  | { outcome: 'failed'; text: string };

/**
 * Finds the hosts of a destination.
 * @param destination a domain in A-labels and lower case, or an address literal, which is its own host
 * @param ownName the name of this server; to prevent mail loops, hosts that are not preferred to this server are left out
 */
export async function findRoute(
  destination: string,
  resolver: Pick<DnsResolver, 'mx'>,
  ownName: string,
): Promise<DomainRoute> {
  if (destination.startsWith('[')) return { outcome: 'hosts', groups: [[destination]] };
  const answer = await resolver.mx(destination);
  if (answer.outcome === 'failed') {
    return {
      outcome: 'failed',
      text: `The MX records of ${destination} cannot be looked up: ${answer.reason}`,
    };
  }
  if (answer.outcome === 'none') {
    if (!answer.nameExists) {
      return {
        outcome: 'unroutable',
        reason: 'no_such_domain',
        text: `The domain ${destination} does not exist`,
      };
    }
    // Without MX records, the domain itself is the implicit MX.
    return destination === ownName
      ? noRoute(`${destination} is this server, which does not accept mail for it`, [ownName])
      : { outcome: 'hosts', groups: [[destination]] };
  }
  const named = answer.records.filter(({ exchange }) => exchange !== '');
  if (named.length === 0) {
    // A null MX (RFC 7505), or MX records that name no host.
    return noRoute(
      answer.records.length > 0
        ? `The domain ${destination} accepts no mail (null MX)`
        : `No MX record of ${destination} names a host`,
      [],
    );
  }
  const own = named.filter(({ exchange }) => exchange === ownName).map(({ priority }) => priority);
  const better = named.filter(({ priority }) => own.every((limit) => priority < limit));
  if (better.length === 0) {
    const [bestHosts = []] = groupByPreference(named);
    return noRoute(
      `The best MX of ${destination} is this server, which does not accept mail for it`,
      bestHosts,
    );
  }
  return { outcome: 'hosts', groups: groupByPreference(better) };
}

function groupByPreference(
  records: readonly { priority: number; exchange: string }[],
): readonly (readonly string[])[] {
  // Also sorted by name, so that domains with the same hosts have equal groups.
  const sorted = records.toSorted(
    (one, other) => one.priority - other.priority || (one.exchange < other.exchange ? -1 : 1),
  );
  const best = new Map<string, number>();
  for (const { exchange, priority } of sorted) {
    if (best.size < MAX_HOSTS && !best.has(exchange)) best.set(exchange, priority);
  }
  return [...Map.groupBy(best.keys(), (host) => best.get(host)).values()];
}

function noRoute(text: string, bestHosts: readonly string[]): DomainRoute {
  return { outcome: 'unroutable', reason: 'no_route', text, bestHosts };
}

export type SiteRoute =
  | {
      outcome: 'site';
      /** Identifies the site. Domains with the same hosts in the same order share a site; a domain with a policy has its own site. */
      key: string;
      hosts: SiteHosts;
      /** The MTA-STS policy, in mode `enforce` or `testing`. */
      policy: StsPolicy | null;
    }
  | Exclude<DomainRoute, { outcome: 'hosts' }>;

/** The route of a destination, restricted by the MTA-STS policy of its domain. @param ownName see `findRoute` */
export async function findSite(
  destination: string,
  { resolver, stsPolicies }: { resolver: Pick<DnsResolver, 'mx'>; stsPolicies: Pick<StsPolicies, 'find'> },
  ownName: string,
): Promise<SiteRoute> {
  const [route, found] = await Promise.all([
    findRoute(destination, resolver, ownName),
    // Only domains have MTA-STS policies, not address literals (RFC 8461, section 3.1).
    destination.startsWith('[') ? null : stsPolicies.find(destination),
  ]);
  if (route.outcome !== 'hosts') return route;
  const policy = found?.mode === 'none' ? null : found;
  const isEnforced = policy?.mode === 'enforce';
  const groups = isEnforced ? allowedBy(policy, route.groups) : route.groups;
  if (groups.length === 0) {
    // The message is deferred, because the policy or the MX records may be corrected (RFC 8461, section 5.1).
    return { outcome: 'failed', text: `The MTA-STS policy of ${destination} allows none of its MX hosts` };
  }
  const hosts: SiteHosts = { names: groups.flat(), groups, tls: isEnforced ? 'verified' : 'opportunistic' };
  const key = JSON.stringify(policy === null ? groups : [destination, groups, policy.mode]);
  return { outcome: 'site', key, hosts, policy };
}

/** Mail is not sent to a host that does not match the policy (RFC 8461, section 5.1). */
function allowedBy(policy: StsPolicy, groups: SiteHosts['groups']): SiteHosts['groups'] {
  return groups
    .map((group) => group.filter((host) => mxMatches(policy, host)))
    .filter((group) => group.length > 0);
}
