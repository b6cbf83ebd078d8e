/** DNS records as a zone file (RFC 1035, section 5), for name servers and for panels that import one. */
import type { DomainRecord } from '../contract/domains.ts';

type ZoneRecord = Pick<
  DomainRecord,
  'record' | 'type' | 'name' | 'value' | 'ttl' | 'priority' | 'status' | 'rotation' | 'keep_until'
>;

/** RFC 1035, section 3.3: what one string of a TXT record holds, in octets. */
const MAX_STRING_OCTETS = 255;

/**
 * All names are in full, so the file means the same in whatever zone it is read. What would take the place of records that are there for
 * good reason, and is not there already, is commented out: an MX record takes the domain's mail away from where it is kept,
 * and of two DMARC records neither counts.
 *
 * @param records of one domain, as the API shows them
 */
export function zoneFile(domain: string, records: readonly ZoneRecord[]): string {
  const sections = records.map((record) => {
    const reason = reasonToLeaveOut(record);
    const line = lineOf(record);
    return reason === null ? `; ${titleOf(record)}\n${line}` : `; ${titleOf(record)}: ${reason}\n; ${line}`;
  });
  return [`; DNS records of ${domain}`, ...sections, ''].join('\n\n').trimEnd().concat('\n');
}

function reasonToLeaveOut({ record, status }: ZoneRecord): string | null {
  if (record === 'MX' && status !== 'verified')
    return 'only for mailboxes here. It takes the place of the MX records that are there';
  if (record === 'DMARC' && status === 'verified') return 'a policy is published already, and it counts';
  return null;
}

function titleOf({ record, rotation, keep_until: keepUntil }: ZoneRecord): string {
  if (rotation === 'next') return `${record}: the next key`;
  if (rotation === 'retiring')
    return `${record}: the key before, to be kept until ${keepUntil?.slice(0, 10) ?? ''}`;
  return record;
}

function lineOf({ type, name, value, ttl, priority }: ZoneRecord): string {
  return `${name}. ${ttl} IN ${type} ${priority === null ? '' : `${priority} `}${dataOf(type, value)}`;
}

function dataOf(type: ZoneRecord['type'], value: string): string {
  if (type === 'TXT') return stringsOf(value).join(' ');
  // The target of what is not offered is the root already.
  return value.endsWith('.') ? value : `${value}.`;
}

function stringsOf(text: string): string[] {
  const octets = Buffer.from(text);
  const count = Math.max(1, Math.ceil(octets.length / MAX_STRING_OCTETS));
  return Array.from({ length: count }, (_, at) =>
    quoted(octets.subarray(at * MAX_STRING_OCTETS, (at + 1) * MAX_STRING_OCTETS)),
  );
}

/** RFC 1035, section 5.1: what would end the string is escaped, and what is no printable ASCII written as its number. */
function quoted(octets: Buffer): string {
  const text = Array.from(octets, (octet) => {
    const character = String.fromCodePoint(octet);
    if (character === '"' || character === '\\') return `\\${character}`;
    return octet >= 0x20 && octet < 0x7f ? character : `\\${String(octet).padStart(3, '0')}`;
  });
  return `"${text.join('')}"`;
}
