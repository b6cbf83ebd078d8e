/** The name of a client's address, and whether it leads back to the address (RFC 8601, section 2.7.3). */
import ipaddr from 'ipaddr.js';
import type { Authentication } from './authentication.ts';
import type { LookupBudget } from './bounded-lookups.ts';

/** How many names of an address are looked at (RFC 7208, section 4.6.4 has the same bound). */
const MAX_NAMES = 10;

export async function checkReverse(address: string, budget: LookupBudget): Promise<Authentication['iprev']> {
  if (address === '') return { result: 'temperror', name: null };
  if (!ipaddr.isValid(address)) return { result: 'fail', name: null };
  const client = ipaddr.process(address);
  const found = await budget.ask(reverseName(client), 'PTR');
  if (found.outcome === 'failed') return { result: 'temperror', name: null };
  if (found.outcome === 'none') return { result: 'fail', name: null };
  const names = (found.records as readonly string[]).slice(0, MAX_NAMES);
  const type = client.kind() === 'ipv4' ? 'A' : 'AAAA';
  const answers = await Promise.all(names.map((name) => budget.ask(name, type)));
  const back = answers.findIndex(
    (answer) => answer.outcome === 'found' && (answer.records as readonly string[]).some(isClient),
  );
  if (back !== -1) return { result: 'pass', name: names[back] ?? null };
  const isFailure = answers.some(({ outcome }) => outcome === 'failed');
  return { result: isFailure ? 'temperror' : 'fail', name: names[0] ?? null };

  function isClient(record: string): boolean {
    return ipaddr.isValid(record) && ipaddr.process(record).toString() === client.toString();
  }
}

function reverseName(client: ipaddr.IPv4 | ipaddr.IPv6): string {
  const octets = client.toByteArray();
  if (client.kind() === 'ipv4') return `${octets.reverse().join('.')}.in-addr.arpa`;
  const nibbles = octets.flatMap((octet) => [...octet.toString(16).padStart(2, '0')]);
  return `${nibbles.reverse().join('.')}.ip6.arpa`;
}
