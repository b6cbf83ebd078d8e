/** Names to addresses that may be dialled. What is returned is dialled as it is: nobody looks the name up again. */
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isDialable } from './address-guard.ts';

const LOOKUP_TIMEOUT_MS = 1_500;
const LOOKUP_TRIES = 2;
/** Of a name with more addresses these are tried. */
const MAX_ADDRESSES = 8;

/** A connection that was not attempted, or a name that has no address. The message is for whoever chose the name. */
export class LookupRefused extends Error {
  override readonly name = 'LookupRefused';
}

export interface GuardedLookupOptions {
  allowLoopback: boolean;
  /** `ip:port` of the resolver; null: those of the system. */
  dns: string | null;
}

/**
 * For `net.connect`. DNS is asked by Node itself (c-ares): `getaddrinfo` would hold a thread of the pool, where mail is
 * signed, for as long as a stranger's name server likes. So the hosts file is not read; `localhost` and names below
 * it are this machine (RFC 6761, section 6.3).
 */
export function guardedLookup({ allowLoopback, dns }: GuardedLookupOptions): LookupFunction {
  const resolver = new Resolver({ timeout: LOOKUP_TIMEOUT_MS, tries: LOOKUP_TRIES });
  if (dns !== null) resolver.setServers([dns]);

  async function lookup(hostname: string): Promise<{ address: string; family: 4 | 6 }[]> {
    const found = isLocalhost(hostname)
      ? ([[{ address: '127.0.0.1', family: 4 }], [{ address: '::1', family: 6 }]] as const)
      : await Promise.all([
          addresses(resolver.resolve4(hostname), 4),
          addresses(resolver.resolve6(hostname), 6),
        ]);
    const all = found.flat();
    if (all.length === 0) throw new LookupRefused('the host name has no address');
    const allowed = all.filter(({ address }) => isDialable(address, { allowLoopback }));
    // Which addresses it has is not told: names of the operator's network would give away its layout.
    if (allowed.length === 0) throw new LookupRefused('the host has no public address');
    return allowed.slice(0, MAX_ADDRESSES);
  }

  return async (hostname, options, callback) => {
    try {
      const found = await lookup(hostname);
      if (options.all === true) callback(null, found);
      else callback(null, found[0].address, found[0].family);
    } catch (error) {
      callback(error as NodeJS.ErrnoException, []);
    }
  };
}

const NO_SUCH_RECORD = new Set(['ENOTFOUND', 'ENODATA']);

/** @throws LookupRefused when nobody knows whether there are any */
async function addresses<Family extends 4 | 6>(
  answer: Promise<string[]>,
  family: Family,
): Promise<{ address: string; family: Family }[]> {
  try {
    return (await answer).map((address) => ({ address, family }));
  } catch (error) {
    if (NO_SUCH_RECORD.has((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw new LookupRefused('the host name could not be looked up', { cause: error });
  }
}

/** @param hostname as a URL has it: in lower case */
export function isLocalhost(hostname: string): boolean {
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  return name === 'localhost' || name.endsWith('.localhost');
}
