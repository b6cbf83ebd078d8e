/**
 * Look-ups at the name servers of a zone itself. A record that was published a moment ago is found at once, although a resolver
 * may still remember the old one, or that there was none.
 */
import { isDialable } from './address-guard.ts';
import { within } from '../concurrency/within.ts';
import { type DnsAnswer, DnsResolver, type DnsTimings } from './dns.ts';

/** What verification asks of DNS. */
export type RecordResolver = Pick<DnsResolver, 'txt' | 'mx' | 'srv' | 'cname'>;

export interface ZoneDnsOptions {
  resolver: DnsResolver;
  /** Whether a name server may be this machine. If not, no zone can make the service ask hosts that only it reaches. */
  allowLoopback: boolean;
  /** The port of the name servers. */
  port?: number;
}

const DNS_PORT = 53;
/** Counted from the first question. The name servers have the first part of the time, the resolver the rest. */
const SERVERS_MS = 2_500;
const TOTAL_MS = 5_000;
/** Each server is tried once; when the question is lost, the next one is asked. */
const SERVER_TIMINGS: DnsTimings = { tryTimeoutMs: 1_000, tries: 1 };
/** How many name servers of a zone are asked, each at one IPv4 and one IPv6 address. */
const MAX_HOSTS = 4;
/** How many names above the domain are tried to find its zone. */
const MAX_STEPS = 8;

/**
 * Look-ups for one check of a domain go to the name servers of its zone. Where the operator names a resolver (`dns`, as `ip:port`),
 * they go to that one only.
 */
export function dnsOfDomains(dns: string | null, allowLoopback: boolean): (domain: string) => RecordResolver {
  const resolver = new DnsResolver(dns);
  return dns === null ? (domain) => new ZoneDns(domain, { resolver, allowLoopback }) : () => resolver;
}

interface Zone {
  name: string;
  /** Its name servers, as far as they answer for the zone. */
  servers: readonly DnsResolver[];
}

type Ask<T> = (dns: RecordResolver, name: string) => Promise<DnsAnswer<T>>;

/**
 * Asks about one domain, once. It remembers the zone, and ends after five seconds. The resolver is asked for names outside the
 * zone, for delegated names, and for everything that no name server of the zone answers.
 */
export class ZoneDns implements RecordResolver {
  readonly #domain: string;
  readonly #options: ZoneDnsOptions;
  readonly #startedMs = performance.now();
  readonly #zone: Promise<Zone | null>;

  constructor(domain: string, options: ZoneDnsOptions) {
    this.#domain = domain;
    this.#options = options;
    this.#zone = this.#findZone();
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

  async #lookUp<T>(name: string, ask: Ask<T>): Promise<DnsAnswer<T>> {
    const { resolver } = this.#options;
    const told = await within(this.#leftMs(SERVERS_MS), this.#askZone(name, ask), { resolve: name });
    if ('outcome' in told) return told;
    return within<DnsAnswer<T>>(this.#leftMs(TOTAL_MS), ask(resolver, told.resolve), {
      outcome: 'failed',
      reason: 'no answer',
    });
  }

  /** Resolves to the answer, or to the name to ask the resolver for. */
  async #askZone<T>(name: string, ask: Ask<T>): Promise<DnsAnswer<T> | { resolve: string }> {
    const zone = await this.#zone;
    if (zone === null || (name !== zone.name && !name.endsWith(`.${zone.name}`))) return { resolve: name };
    for (const server of zone.servers) {
      const answer = await ask(server, name);
      if (answer.outcome === 'found') return answer;
      if (answer.outcome === 'failed') continue;
      if (!answer.nameExists) return answer;
      // A server also answers so when it knows only an alias into another zone, or a delegation.
      const alias = await server.cname(name);
      return { resolve: (alias.outcome === 'found' ? alias.records[0] : undefined) ?? name };
    }
    return { resolve: name };
  }

  /** The zone is the nearest name above that has name servers. */
  async #findZone(): Promise<Zone | null> {
    let name = this.#domain;
    // The servers of a top-level domain are not asked: they know no records of the domain.
    for (let step = 0; step < MAX_STEPS && name.includes('.') && this.#leftMs(SERVERS_MS) > 0; step++) {
      const answer = await this.#options.resolver.ns(name);
      if (answer.outcome === 'failed') return null;
      if (answer.outcome === 'found') {
        return { name, servers: await this.#findServers(name, answer.records.slice(0, MAX_HOSTS)) };
      }
      name = name.slice(name.indexOf('.') + 1);
    }
    return null;
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
    // A name server that does not know the zone may say that there is no record. Such servers are not believed.
    const knows = await Promise.all(
      servers.map(async (server) => (await server.soa(zone)).outcome === 'found'),
    );
    return servers.filter((_, at) => knows[at]);
  }

  #leftMs(ofMs: number): number {
    return Math.max(0, ofMs - (performance.now() - this.#startedMs));
  }
}
