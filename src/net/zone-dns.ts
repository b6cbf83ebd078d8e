/**
 * Looks up records directly at the name servers of a zone. This finds a newly published record at once. A resolver may still have the old
 * record, or the fact that there was none, in its cache.
 */
import { isDialable } from './address-guard.ts';
import { within } from '../concurrency/within.ts';
import { type DnsAnswer, DnsResolver, type DnsTimings, type DnsZone } from './dns.ts';

/** The DNS queries that domain verification needs. */
export interface RecordResolver
  extends Pick<DnsResolver, 'txt' | 'mx' | 'srv' | 'cname' | 'a' | 'aaaa' | 'ptr' | 'zone'> {
  /** The same resolver, with its time limits beginning now. Absent if a time limit applies to each look-up. */
  restarted?(): RecordResolver;
}

export interface ZoneDnsOptions {
  resolver: DnsResolver;
  /** Whether a name server may be this machine. Attack: the name servers of a zone point to hosts that only this service can reach. */
  allowLoopback: boolean;
  /** The port of the name servers. */
  port?: number;
}

const DNS_PORT = 53;
/** Name servers are queried until this long after the creation of `ZoneDns`. The rest of `TOTAL_MS` is for the resolver. */
const SERVERS_MS = 2_500;
const TOTAL_MS = 5_000;
/** Each server is tried once. If a server does not respond, the next server is queried. */
const SERVER_TIMINGS: DnsTimings = { tryTimeoutMs: 1_000, tries: 1 };
/** The maximum number of name servers to query per zone, each at one IPv4 and one IPv6 address. */
const MAX_HOSTS = 4;

/**
 * Returns a function that makes the resolver for one check of a domain. The resolver queries the name servers of the domain's zone, or the
 * operator's resolver if `dns` (`ip:port`) is set.
 */
export function dnsOfDomains(dns: string | null, allowLoopback: boolean): (domain: string) => RecordResolver {
  const resolver = new DnsResolver(dns);
  return dns === null ? (domain) => new ZoneDns(domain, { resolver, allowLoopback }) : () => resolver;
}

interface Zone extends DnsZone {
  /** The name servers that are authoritative for the zone and can be queried. */
  servers: readonly DnsResolver[];
}

type Ask<T> = (dns: RecordResolver, name: string) => Promise<DnsAnswer<T>>;

/**
 * Looks up the records of one domain, for one check. Look-ups use the name servers of the domain's zone, which is found once. The
 * recursive resolver is used for names outside the zone, for delegated names, and if no name server responds. All look-ups end after five
 * seconds, unless it is restarted.
 */
export class ZoneDns implements RecordResolver {
  readonly #domain: string;
  readonly #options: ZoneDnsOptions;
  readonly #startedMs = performance.now();
  readonly #zone: Promise<Zone | null>;

  /** @param zone the zone of the domain, if it was found before */
  constructor(domain: string, options: ZoneDnsOptions, zone?: Promise<Zone | null>) {
    this.#domain = domain;
    this.#options = options;
    this.#zone = zone ?? this.#findZone();
  }

  restarted(): ZoneDns {
    return new ZoneDns(this.#domain, this.#options, this.#zone);
  }

  txt(name: string): Promise<DnsAnswer<string>> {
    return this.#lookUp(name, (dns, at) => dns.txt(at));
  }

  mx(name: string): ReturnType<RecordResolver['mx']> {
    return this.#lookUp(name, (dns, at) => dns.mx(at));
  }

  srv(name: string): ReturnType<RecordResolver['srv']> {
    return this.#lookUp(name, (dns, at) => dns.srv(at));
  }

  cname(name: string): Promise<DnsAnswer<string>> {
    return this.#lookUp(name, (dns, at) => dns.cname(at));
  }

  a(name: string): Promise<DnsAnswer<string>> {
    return this.#lookUp(name, (dns, at) => dns.a(at));
  }

  aaaa(name: string): Promise<DnsAnswer<string>> {
    return this.#lookUp(name, (dns, at) => dns.aaaa(at));
  }

  ptr(name: string): Promise<DnsAnswer<string>> {
    return this.#lookUp(name, (dns, at) => dns.ptr(at));
  }

  /** The zone of the domain, which is found only once. */
  zone(): Promise<DnsZone | null> {
    return this.#zone;
  }

  async #lookUp<T>(name: string, ask: Ask<T>): Promise<DnsAnswer<T>> {
    const { resolver } = this.#options;
    const answer = await within(this.#leftMs(SERVERS_MS), this.#queryZone(name, ask), { resolve: name });
    if ('outcome' in answer) return answer;
    return within<DnsAnswer<T>>(this.#leftMs(TOTAL_MS), ask(resolver, answer.resolve), {
      outcome: 'failed',
      reason: 'no answer',
    });
  }

  /**
   * Queries the name servers of the zone. Resolves to the answer, or to the name that the caller must look up with the recursive resolver
   * instead.
   */
  async #queryZone<T>(name: string, ask: Ask<T>): Promise<DnsAnswer<T> | { resolve: string }> {
    const zone = await this.#zone;
    if (zone === null || (name !== zone.name && !name.endsWith(`.${zone.name}`))) return { resolve: name };
    for (const server of zone.servers) {
      const answer = await ask(server, name);
      if (answer.outcome === 'found') return answer;
      if (answer.outcome === 'failed') continue;
      if (!answer.nameExists) return answer;
      // The server says that the name exists but has no such record. It says so too if the name is delegated, or is an alias into another
      // zone.
      const alias = await server.cname(name);
      return { resolve: (alias.outcome === 'found' ? alias.records[0] : undefined) ?? name };
    }
    return { resolve: name };
  }

  async #findZone(): Promise<Zone | null> {
    const zone = await this.#options.resolver.zone(this.#domain);
    if (zone === null) return null;
    return { ...zone, servers: await this.#findServers(zone.name, zone.nameServers.slice(0, MAX_HOSTS)) };
  }

  async #findServers(zone: string, hosts: readonly string[]): Promise<DnsResolver[]> {
    const { resolver, allowLoopback, port = DNS_PORT } = this.#options;
    const answers = await Promise.all([
      ...hosts.map((host) => resolver.a(host)),
      ...hosts.map((host) => resolver.aaaa(host)),
    ]);
    const first = answers.flatMap((answer) => (answer.outcome === 'found' ? answer.records.slice(0, 1) : []));
    const allowed = [...new Set(first)].filter((address) => isDialable(address, { allowLoopback }));
    const servers = allowed.map(
      (address) =>
        new DnsResolver(
          address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`,
          SERVER_TIMINGS,
        ),
    );
    // Leave out name servers that do not serve the zone, because they may answer that a record does not exist.
    const servesZone = await Promise.all(
      servers.map(async (server) => (await server.soa(zone)).outcome === 'found'),
    );
    return servers.filter((_, at) => servesZone[at]);
  }

  #leftMs(ofMs: number): number {
    return Math.max(0, ofMs - (performance.now() - this.#startedMs));
  }
}
