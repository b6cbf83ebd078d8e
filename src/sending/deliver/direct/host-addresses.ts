/** Resolves the name of a mail host to the IP addresses to connect to. */
import { networkInterfaces } from 'node:os';
import { LoadingCache } from '../../../db/loading-cache.ts';
import type { MaybePromise } from '../../../model/maybe-promise.ts';
import { isDialable } from '../../../net/address-guard.ts';
import type { DnsAnswer, DnsResolver } from '../../../net/dns.ts';

const TTL_MS = 5 * 60_000;
const MAX_NAMES = 10_000;
/** The maximum number of addresses used per host. */
const MAX_ADDRESSES = 4;

export type HostAddresses =
  /** `addresses` is never empty. IPv4 and IPv6 alternate. */
  | { outcome: 'found'; addresses: readonly string[] }
  /** The host has no address, or no address to which connections are allowed. */
  | { outcome: 'none'; text: string }
  | { outcome: 'failed'; text: string };

export interface HostAddressBookOptions {
  resolver: Pick<DnsResolver, 'a' | 'aaaa'>;
  /** Whether connections to this machine and to private networks are allowed. */
  allowPrivate: boolean;
  /** Whether the network can reach IPv6 addresses. Default: whether this machine has a public IPv6 address. */
  hasIpv6?: () => boolean;
}

export class HostAddressBook {
  readonly #options: HostAddressBookOptions;
  readonly #known = new LoadingCache<HostAddresses>({
    ttlMs: TTL_MS,
    maxEntries: MAX_NAMES,
    mayCache: ({ outcome }) => outcome === 'found',
    nowMs: () => performance.now(),
  });

  constructor(options: HostAddressBookOptions) {
    this.#options = options;
  }

  /** @param host a host name, or an address literal */
  of(host: string): MaybePromise<HostAddresses> {
    const literal = /^\[(?:ipv6:)?(.*)\]$/i.exec(host)?.[1];
    if (literal !== undefined) return this.#judge(host, [literal]);
    return this.#known.get(host, () => this.#lookUp(host));
  }

  /** Makes the next call query DNS again. */
  forget(host: string): void {
    this.#known.forget(host);
  }

  async #lookUp(host: string): Promise<HostAddresses> {
    const { resolver, hasIpv6 = hasPublicIpv6 } = this.#options;
    const ipv6Query = hasIpv6() ? resolver.aaaa(host) : null;
    const ipv4 = await resolver.a(host);
    // Without IPv6 connectivity, IPv6 addresses are queried only if the host has no IPv4 address.
    const ipv6 = await (ipv6Query ?? (ipv4.outcome === 'found' ? NOTHING : resolver.aaaa(host)));
    const addresses = interleave(recordsOf(ipv4), recordsOf(ipv6));
    if (addresses.length > 0) return this.#judge(host, addresses);
    const failure = [ipv4, ipv6].find(({ outcome }) => outcome === 'failed');
    return failure?.outcome === 'failed'
      ? { outcome: 'failed', text: `The addresses of ${host} cannot be looked up: ${failure.reason}` }
      : { outcome: 'none', text: `The host ${host} has no address` };
  }

  /** The error text contains no addresses, because addresses in the operator's network would reveal the layout of this network. */
  #judge(host: string, addresses: readonly string[]): HostAddresses {
    const { allowPrivate } = this.#options;
    const policy = { allowLoopback: allowPrivate, allowPrivate };
    const dialable = addresses.filter((address) => isDialable(address, policy));
    return dialable.length === 0
      ? { outcome: 'none', text: `The host ${host} has no public address` }
      : { outcome: 'found', addresses: dialable.slice(0, MAX_ADDRESSES) };
  }
}

const NOTHING: DnsAnswer<string> = { outcome: 'none', nameExists: true };

function recordsOf(answer: DnsAnswer<string>): readonly string[] {
  return answer.outcome === 'found' ? answer.records : [];
}

/** IPv4 comes first, because receivers demand more of IPv6 clients (a PTR record, a separate reputation). */
function interleave(ipv4: readonly string[], ipv6: readonly string[]): string[] {
  const pairs = Array.from({ length: Math.max(ipv4.length, ipv6.length) }, (_, at) => [ipv4[at], ipv6[at]]);
  return pairs.flat().filter((address) => address !== undefined);
}

function hasPublicIpv6(): boolean {
  return Object.values(networkInterfaces()).some((entries) =>
    entries?.some(
      ({ family, address }) => family === 'IPv6' && isDialable(address, { allowLoopback: false }),
    ),
  );
}
