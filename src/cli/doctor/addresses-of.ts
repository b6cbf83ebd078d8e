import { isDialable } from '../../net/address-guard.ts';
import type { DnsAnswer, DnsResolver } from '../../net/dns.ts';

/** The IPv4 and then the IPv6 addresses of a name. One family that cannot be asked for does not hide the other. */
export async function addressesOf(
  dns: Pick<DnsResolver, 'a' | 'aaaa'>,
  name: string,
): Promise<DnsAnswer<string>> {
  const answers = await Promise.all([dns.a(name), dns.aaaa(name)]);
  const records = answers.flatMap((answer) => (answer.outcome === 'found' ? answer.records : []));
  if (records.length > 0) return { outcome: 'found', records };
  return answers.find(({ outcome }) => outcome === 'failed') ?? answers[0];
}

/** Whether the outside reaches it. */
export function isPublic(address: string): boolean {
  return isDialable(address, { allowLoopback: false });
}
