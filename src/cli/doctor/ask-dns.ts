/** What DNS says. */
import { Resolver } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import { isDialable } from '../../net/address-guard.ts';
import { readDnsName } from '../../net/dns-name.ts';
import type { DnsAnswer, DnsResolver } from '../../net/dns.ts';

/** Looks up the IPv4 and then the IPv6 addresses of a name. A failure for one family does not hide the other. */
export async function addressesOf(
  dns: Pick<DnsResolver, 'a' | 'aaaa'>,
  name: string,
): Promise<DnsAnswer<string>> {
  const answers = await Promise.all([dns.a(name), dns.aaaa(name)]);
  const records = answers.flatMap((answer) => (answer.outcome === 'found' ? answer.records : []));
  if (records.length > 0) return { outcome: 'found', records };
  return answers.find(({ outcome }) => outcome === 'failed') ?? answers[0];
}

/** Whether the outside can reach the address. */
export function isPublic(address: string): boolean {
  return isDialable(address, { allowLoopback: false });
}

const TRY_TIMEOUT_MS = 2_000;
const TRIES = 2;

/**
 * Looks up the names in the PTR records of an address. `Resolver.reverse` would also read the hosts file, which other mail
 * servers do not see.
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
