/** From names to addresses that may be dialled. The address that was checked is dialled: there is no second look-up. */
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { isDialable } from './address-guard.ts';
import { DnsResolver } from './dns.ts';

/** How many addresses of a name are tried. */
const MAX_ADDRESSES = 8;

/** The connection was not attempted. The message is for the person who chose the name. */
export class LookupRefused extends Error {
  override readonly name = 'LookupRefused';
}

export interface GuardedLookupOptions {
  allowLoopback: boolean;
  /** `ip:port` of the resolver; null: those of the system. */
  dns: string | null;
}

interface Address {
  address: string;
  family: 4 | 6;
}

const THIS_MACHINE: readonly Address[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * For `net.connect`. Node itself asks DNS (c-ares): with `getaddrinfo` a slow name server of somebody else would hold a thread of
 * the pool in which mail is signed. The hosts file is therefore not read; `localhost` and names below it are this machine
 * (RFC 6761, section 6.3).
 */
export function guardedLookup({ allowLoopback, dns }: GuardedLookupOptions): LookupFunction {
  const resolver = new DnsResolver(dns);

  async function lookUp(hostname: string): Promise<Address[]> {
    const found = isLocalhost(hostname) ? THIS_MACHINE : await addressesOf(hostname, resolver);
    if (found.length === 0) throw new LookupRefused('the host name has no address');
    const allowed = found.filter(({ address }) => isDialable(address, { allowLoopback }));
    // The message does not name the addresses: names in the operator's network would reveal its layout.
    if (allowed.length === 0) throw new LookupRefused('the host has no public address');
    return allowed.slice(0, MAX_ADDRESSES);
  }

  const answer = callbackify(lookUp);
  return (hostname, options, callback) =>
    answer(hostname, (error, found) => {
      const first = found?.[0];
      if (first === undefined || options.all === true) callback(error, found);
      else callback(error, first.address, first.family);
    });
}

/** @throws LookupRefused when DNS gives no answer */
async function addressesOf(hostname: string, resolver: DnsResolver): Promise<Address[]> {
  const [ipv4, ipv6] = await Promise.all([resolver.a(hostname), resolver.aaaa(hostname)]);
  const found: Address[] = [];
  if (ipv4.outcome === 'found')
    found.push(...ipv4.records.map((address) => ({ address, family: 4 as const })));
  if (ipv6.outcome === 'found')
    found.push(...ipv6.records.map((address) => ({ address, family: 6 as const })));
  // Some servers fail on a type that they do not know. That must not hide the addresses of the other type.
  if (found.length === 0 && (ipv4.outcome === 'failed' || ipv6.outcome === 'failed')) {
    throw new LookupRefused('the host name could not be looked up');
  }
  return found;
}

/** @param hostname as a URL has it: in lower case */
export function isLocalhost(hostname: string): boolean {
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  return name === 'localhost' || name.endsWith('.localhost');
}
