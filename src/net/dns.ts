/** DNS look-ups. They return the outcome `found`, `none` or `failed`, and never throw. */
import { Resolver } from 'node:dns/promises';
import { Semaphore } from '../concurrency/semaphore.ts';
import { within } from '../concurrency/within.ts';
import { readDnsName } from './dns-name.ts';
import { TIMINGS } from './timings.ts';

/** The maximum number of records that a look-up returns. A response over TCP can contain thousands of records. */
const MAX_RECORDS = 100;

/**
 * The maximum number of look-ups that begin within `SPREAD_MS` and have no answer yet. All look-ups share one UDP socket, whose receive
 * buffer (208 KiB on Linux by default) holds about 250 packets, as does that of many DNS servers. When mail for hundreds of domains began
 * at once, packets were lost, and those that lost both tries made working destinations wait for a minute.
 */
const MAX_BURST = 100;
/** A look-up without an answer counts for this long. It must not count until it times out: silent servers of some domains would block all. */
const SPREAD_MS = 50;

export type DnsAnswer<T> =
  /** `records` is empty if records were found, but none of them names a valid host (`mx`, `ns`, `cname` and others). */
  | { outcome: 'found'; records: readonly T[] }
  /** The name, or the target of its alias, does not exist (NXDOMAIN) or has no record of the type. */
  | { outcome: 'none'; nameExists: boolean }
  /** The query timed out, the server failed or refused it, or the response is unreadable. */
  | { outcome: 'failed'; reason: string };

/** The maximum number of names to try when finding a zone. */
const MAX_STEPS = 8;

const NO_ANSWER = { outcome: 'failed', reason: 'no answer' } as const;

export interface MxRecord {
  priority: number;
  /** The host, in lower case without a trailing dot. Empty if the domain accepts no mail (RFC 7505). */
  exchange: string;
}

export interface SrvRecord {
  priority: number;
  weight: number;
  port: number;
  /** The host, in lower case without a trailing dot. Empty if the service is not offered (RFC 2782). */
  target: string;
}

export interface DnsZone {
  name: string;
  /** The host names of the name servers, in lower case without a trailing dot. */
  nameServers: readonly string[];
}

/** The timeout of each try, and the number of tries. */
export type DnsTimings = Pick<typeof TIMINGS, 'tryTimeoutMs' | 'tries'>;

/**
 * Looks up records. Names in responses are untrusted: records with an invalid name (see `readDnsName`), such as an MX with an IP address,
 * are omitted. A look-up of an invalid name returns that the name does not exist.
 */
export class DnsResolver {
  readonly #open: () => Resolver;
  readonly #resolver: Resolver;
  readonly #burst = new Semaphore(MAX_BURST);

  /** @param server `ip:port` of the resolver, `[ip]:port` for IPv6; null for the resolvers of the system */
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

  /** The IPv4 addresses, then the IPv6 addresses. If a server fails for one of the types, the addresses of the other type are returned. */
  async addresses(name: string): Promise<DnsAnswer<string>> {
    const answers = await Promise.all([this.a(name), this.aaaa(name)]);
    const records = answers.flatMap((answer) => (answer.outcome === 'found' ? answer.records : []));
    if (records.length > 0) return { outcome: 'found', records };
    return answers.find(({ outcome }) => outcome === 'failed') ?? answers[0];
  }

  /** The target of an alias. If the target is itself an alias, the resolver may return all names of the chain. */
  cname(name: string): Promise<DnsAnswer<string>> {
    return this.#lookUp(name, (resolver, valid) => resolver.resolveCname(valid), namesOf);
  }

  /** MX records in no particular order. For domains that accept no mail, see `MxRecord`. */
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

  /** SRV records in no particular order. For services that are not offered, see `SrvRecord`. */
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

  /** The host names of a zone's name servers. */
  ns(name: string): Promise<DnsAnswer<string>> {
    return this.#lookUp(name, (resolver, valid) => resolver.resolveNs(valid), namesOf);
  }

  /** The zone that contains a name: the name itself or its nearest parent that has name servers. Null if none is found. */
  async zone(name: string): Promise<DnsZone | null> {
    let at = name;
    // Stop before the top-level domain, because its servers have no records of the name.
    for (let step = 0; step < MAX_STEPS && at.includes('.'); step++) {
      const answer = await this.ns(at);
      if (answer.outcome === 'failed') return null;
      if (answer.outcome === 'found') return { name: at, nameServers: answer.records };
      at = at.slice(at.indexOf('.') + 1);
    }
    return null;
  }

  /**
   * The host names of an address, given by its DNS name: `1.2.0.192.in-addr.arpa`. `Resolver.reverse` would also read the hosts file,
   * which other mail servers do not have.
   */
  ptr(name: string): Promise<DnsAnswer<string>> {
    return this.#lookUp(name, (resolver, valid) => resolver.resolvePtr(valid), namesOf);
  }

  /** The primary name server of a zone. There is a record only if the name is the apex of the zone. */
  soa(name: string): Promise<DnsAnswer<string>> {
    return this.#lookUp(
      name,
      async (resolver, valid) => [(await resolver.resolveSoa(valid)).nsname],
      namesOf,
    );
  }

  /** TXT records. The strings of a record are joined, as SPF, DKIM and DMARC require (RFC 7208, section 3.3). */
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
    // An object, because an async function would wait for a promise that it returns.
    const { answer } = await this.#burst.run(async () => {
      const begun = { answer: this.#ask(valid, ask, usable) };
      await within<unknown>(SPREAD_MS, begun.answer, null);
      return begun;
    });
    return answer;
  }

  async #ask<T>(
    valid: string,
    ask: (resolver: Resolver, valid: string) => Promise<T[]>,
    usable: (records: T[]) => T[],
  ): Promise<DnsAnswer<T>> {
    const asked = ask(this.#resolver, valid)
      .catch((error: unknown) => {
        // Attack: a hostile domain sends an unreadable response, which ends the shared connection and all queries that are pending on it,
        // and so delays mail to other domains. Therefore each of these queries is repeated on a connection of its own.
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
