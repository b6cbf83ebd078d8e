/** Look-ups in DNS. The outcome is a value: found, none, or failed. */
import { Resolver } from 'node:dns/promises';
import { within } from '../concurrency/within.ts';
import { readDnsName } from './dns-name.ts';
import { TIMINGS } from './timings.ts';

/** An answer over TCP can hold thousands of records; those beyond this number are left out. */
const MAX_RECORDS = 100;

export type DnsAnswer<T> =
  /** Empty for names (`mx`, `ns`, `cname`) only: there are records then, but none of them names a host. */
  | { outcome: 'found'; records: readonly T[] }
  /** The name, or the name that it is an alias of, does not exist (NXDOMAIN) or has no record of the type. */
  | { outcome: 'none'; nameExists: boolean }
  /** A time-out, a server that fails or refuses, or an answer that cannot be read. */
  | { outcome: 'failed'; reason: string };

const NO_ANSWER = { outcome: 'failed', reason: 'no answer' } as const;

export interface MxRecord {
  priority: number;
  /** Lower case, without a trailing dot; empty where the domain takes no mail (RFC 7505). */
  exchange: string;
}

export interface SrvRecord {
  priority: number;
  weight: number;
  port: number;
  /** Lower case, without a trailing dot; empty where the service is not offered (RFC 2782). */
  target: string;
}

/** The first try, and every later one. */
export type DnsTimings = Pick<typeof TIMINGS, 'tryTimeoutMs' | 'tries'>;

/**
 * Names in answers are written by others. Those that are not names (`readDnsName`), such as an MX with an IP address, are left
 * out. Asked for such a name, it answers that the name does not exist.
 */
export class DnsResolver {
  readonly #open: () => Resolver;
  readonly #resolver: Resolver;

  /** @param server `ip:port` of the one that is asked, `[ip]:port` for IPv6; null: those of the system */
  constructor(server: string | null, { tryTimeoutMs, tries }: DnsTimings = TIMINGS) {
    this.#open = () => {
      const resolver = new Resolver({ timeout: tryTimeoutMs, maxTimeout: tryTimeoutMs, tries });
      if (server !== null) resolver.setServers([server]);
      return resolver;
    };
    this.#resolver = this.#open();
  }

  /** IPv4 addresses. */
  a(name: string): Promise<DnsAnswer<string>> {
    return this.#lookUp(name, (resolver, valid) => resolver.resolve4(valid));
  }

  /** IPv6 addresses. */
  aaaa(name: string): Promise<DnsAnswer<string>> {
    return this.#lookUp(name, (resolver, valid) => resolver.resolve6(valid));
  }

  /** The IPv4 and then the IPv6 addresses. Some servers fail on a type that they do not know: that hides nothing of the other. */
  async addresses(name: string): Promise<DnsAnswer<string>> {
    const answers = await Promise.all([this.a(name), this.aaaa(name)]);
    const records = answers.flatMap((answer) => (answer.outcome === 'found' ? answer.records : []));
    if (records.length > 0) return { outcome: 'found', records };
    return answers.find(({ outcome }) => outcome === 'failed') ?? answers[0];
  }

  /** The name that it is an alias of. For a chain of aliases the resolver may give all names. */
  cname(name: string): Promise<DnsAnswer<string>> {
    return this.#lookUp(name, (resolver, valid) => resolver.resolveCname(valid), namesOf);
  }

  /** In no order; see `MxRecord` for the domain that takes no mail. */
  mx(name: string): Promise<DnsAnswer<MxRecord>> {
    return this.#lookUp(
      name,
      (resolver, valid) => resolver.resolveMx(valid),
      (records) =>
        records.flatMap(({ priority, exchange }) => {
          const host = exchange === '' || exchange === '.' ? '' : readDnsName(exchange);
          return host === null ? [] : [{ priority, exchange: host }];
        }),
    );
  }

  /** In no order; see `SrvRecord` for the service that is not offered. */
  srv(name: string): Promise<DnsAnswer<SrvRecord>> {
    return this.#lookUp(
      name,
      async (resolver, valid) =>
        (await resolver.resolveSrv(valid)).map(({ name: target, ...record }) => ({ ...record, target })),
      (records) =>
        records.flatMap(({ priority, weight, port, target }) => {
          const host = target === '' || target === '.' ? '' : readDnsName(target);
          return host === null ? [] : [{ priority, weight, port, target: host }];
        }),
    );
  }

  /** The hosts of the name servers of a zone. */
  ns(name: string): Promise<DnsAnswer<string>> {
    return this.#lookUp(name, (resolver, valid) => resolver.resolveNs(valid), namesOf);
  }

  /**
   * The names of the host at an address, which is given by its name in DNS: `1.2.0.192.in-addr.arpa`. `Resolver.reverse` would
   * also read the hosts file, which other mail servers do not see.
   */
  ptr(name: string): Promise<DnsAnswer<string>> {
    return this.#lookUp(name, (resolver, valid) => resolver.resolvePtr(valid), namesOf);
  }

  /** Whether the name is the top of a zone: the name of the zone's primary name server. */
  soa(name: string): Promise<DnsAnswer<string>> {
    return this.#lookUp(
      name,
      async (resolver, valid) => [(await resolver.resolveSoa(valid)).nsname],
      namesOf,
    );
  }

  /** The strings of a record are joined, as SPF, DKIM and DMARC read them (RFC 7208, section 3.3). */
  txt(name: string): Promise<DnsAnswer<string>> {
    return this.#lookUp(name, async (resolver, valid) =>
      (await resolver.resolveTxt(valid)).map((parts) => parts.join('')),
    );
  }

  async #lookUp<T>(
    name: string,
    ask: (resolver: Resolver, valid: string) => Promise<T[]>,
    usable: (records: T[]) => T[] = (records) => records,
  ): Promise<DnsAnswer<T>> {
    const valid = readDnsName(name);
    if (valid === null) return { outcome: 'none', nameExists: false };
    const asked = ask(this.#resolver, valid)
      .catch((error: unknown) => {
        // An unreadable answer ends the connection for every question on it: a hostile domain would delay the mail of
        // the others. So the question is asked again on a connection of its own.
        if (codeOf(error) === 'EBADRESP') return ask(this.#open(), valid);
        throw error;
      })
      .then(
        (records): DnsAnswer<T> =>
          records.length === 0
            ? { outcome: 'none', nameExists: true }
            : { outcome: 'found', records: usable(records).slice(0, MAX_RECORDS) },
        (error: unknown): DnsAnswer<T> => failure(error),
      );
    return within(TIMINGS.lookUpTimeoutMs, asked, NO_ANSWER);
  }
}

function namesOf(texts: readonly string[]): string[] {
  return texts.flatMap((text) => readDnsName(text) ?? []);
}

function failure(error: unknown): DnsAnswer<never> {
  const code = codeOf(error);
  if (code === null) throw error;
  if (code === 'ENOTFOUND') return { outcome: 'none', nameExists: false };
  if (code === 'ENODATA') return { outcome: 'none', nameExists: true };
  return code === 'ETIMEOUT' ? NO_ANSWER : { outcome: 'failed', reason: code.replace(/^E/, '') };
}

function codeOf(error: unknown): string | null {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : null;
}
