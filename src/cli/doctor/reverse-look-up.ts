import { Resolver } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import type { DnsAnswer } from '../../net/dns.ts';
import { readDnsName } from '../../net/dns-name.ts';

const TRY_TIMEOUT_MS = 2_000;
const TRIES = 2;

/**
 * The names in the PTR records of an address. `Resolver.reverse` would also read the hosts file, which other mail servers do not.
 * @param server as `DnsResolver` takes it
 */
export async function reverseLookUp(server: string | null, address: string): Promise<DnsAnswer<string>> {
  const resolver = new Resolver({ timeout: TRY_TIMEOUT_MS, maxTimeout: TRY_TIMEOUT_MS, tries: TRIES });
  if (server !== null) resolver.setServers([server]);
  try {
    const names = await resolver.resolvePtr(reverseName(address));
    return { outcome: 'found', records: names.flatMap((name) => readDnsName(name) ?? []) };
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code);
    if (code === 'ENOTFOUND' || code === 'ENODATA') {
      return { outcome: 'none', nameExists: code === 'ENODATA' };
    }
    return { outcome: 'failed', reason: code === 'ETIMEOUT' ? 'no answer' : code.replace(/^E/, '') };
  }
}

/** RFC 1035, section 3.5; RFC 3596, section 2.5. */
function reverseName(address: string): string {
  const octets = ipaddr.parse(address).toByteArray();
  if (octets.length === 4) return `${octets.toReversed().join('.')}.in-addr.arpa`;
  const nibbles = octets.flatMap((octet) => [octet >> 4, octet & 15].map((nibble) => nibble.toString(16)));
  return `${nibbles.toReversed().join('.')}.ip6.arpa`;
}
