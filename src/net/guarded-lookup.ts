/**
 * Resolves names to addresses that may be dialed, and only these are dialed. Attack (DNS rebinding): the name resolves to a public address
 * when it is checked, and to an internal one when it is dialed.
 */
import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { isDialable } from './address-guard.ts';
import { DnsResolver } from './dns.ts';

/** The maximum number of addresses to try per name. */
const MAX_ADDRESSES = 8;

/** Thrown if the connection must not be attempted. The message is for the user who chose the host name. */
export class LookupBlocked extends Error {
  override readonly name = 'LookupBlocked';
}

const THIS_MACHINE = { outcome: 'found', records: ['127.0.0.1', '::1'] } as const;

/**
 * A `lookup` function for `net.connect`. It uses c-ares instead of `getaddrinfo`, with which a slow name server would block a thread of the
 * pool that also signs mail. c-ares does not read the hosts file, so `localhost` and names below it resolve to this machine without a query
 * (RFC 6761, section 6.3).
 * @param dns `ip:port` of the resolver; null for the resolvers of the system
 */
export function guardedLookup(allowLoopback: boolean, dns: string | null): LookupFunction {
  const resolver = new DnsResolver(dns);

  async function lookUp(hostname: string): Promise<LookupAddress[]> {
    const found = isLocalhost(hostname) ? THIS_MACHINE : await resolver.addresses(hostname);
    if (found.outcome === 'failed') throw new LookupBlocked('the host name could not be looked up');
    if (found.outcome === 'none') throw new LookupBlocked('the host name has no address');
    const allowed = found.records.filter((address) => isDialable(address, { allowLoopback }));
    // The message omits the addresses, because addresses in the operator's network would reveal its layout.
    if (allowed.length === 0) throw new LookupBlocked('the host has no public address');
    return allowed.slice(0, MAX_ADDRESSES).map((address) => ({ address, family: isIP(address) }));
  }

  const answer = callbackify(lookUp);
  return (hostname, options, callback) =>
    answer(hostname, (error, found) => {
      const first = found?.[0];
      if (first === undefined || options.all === true) callback(error, found);
      else callback(error, first.address, first.family);
    });
}

/** @param hostname in lower case, as in a parsed URL */
export function isLocalhost(hostname: string): boolean {
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  return name === 'localhost' || name.endsWith('.localhost');
}
