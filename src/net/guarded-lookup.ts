/** From names to addresses that may be dialled. The address that was checked is dialled: there is no second look-up. */
import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { isDialable } from './address-guard.ts';
import { DnsResolver } from './dns.ts';

/** How many addresses of a name are tried. */
const MAX_ADDRESSES = 8;

/** The connection was not attempted. The message is for the person who chose the name. */
export class LookupBlocked extends Error {
  override readonly name = 'LookupBlocked';
}

const THIS_MACHINE = { outcome: 'found', records: ['127.0.0.1', '::1'] } as const;

/**
 * For `net.connect`. Node itself asks DNS (c-ares): with `getaddrinfo` a slow name server of somebody else would hold a thread of
 * the pool in which mail is signed. The hosts file is therefore not read; `localhost` and names below it are this machine
 * (RFC 6761, section 6.3).
 * @param dns `ip:port` of the resolver; null: those of the system
 */
export function guardedLookup(allowLoopback: boolean, dns: string | null): LookupFunction {
  const resolver = new DnsResolver(dns);

  async function lookUp(hostname: string): Promise<LookupAddress[]> {
    const found = isLocalhost(hostname) ? THIS_MACHINE : await resolver.addresses(hostname);
    if (found.outcome === 'failed') throw new LookupBlocked('the host name could not be looked up');
    if (found.outcome === 'none') throw new LookupBlocked('the host name has no address');
    const allowed = found.records.filter((address) => isDialable(address, { allowLoopback }));
    // The message does not name the addresses: names in the operator's network would reveal its layout.
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

/** @param hostname as a URL has it: in lower case */
export function isLocalhost(hostname: string): boolean {
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  return name === 'localhost' || name.endsWith('.localhost');
}
