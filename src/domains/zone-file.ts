/** DNS records as a zone file (RFC 1035, section 5), for name servers and for DNS panels with an import. */
import type { DomainRecord } from '../contract/domains.ts';

type ZoneRecord = Pick<
  DomainRecord,
  'record' | 'type' | 'name' | 'value' | 'ttl' | 'priority' | 'status' | 'rotation' | 'keep_until'
>;

/** The maximum length of one string in a TXT record, in octets (RFC 1035, section 3.3). */
const MAX_STRING_OCTETS = 255;

/**
 * Writes the records of a domain as a zone file. All names are absolute, so the file has the same meaning in any zone. Two records are
 * commented out because they would do harm: an MX record that is not published yet would redirect the domain's mail, and a second DMARC
 * policy next to a published policy would make receivers ignore both policies.
 *
 * @param records the records of one domain, in the form of the API
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
    return 'only for mailboxes on this server. It replaces the existing MX records';
  if (record === 'DMARC' && status === 'verified') return 'a policy is already published and stays in effect';
  return null;
}

function titleOf({ record, rotation, keep_until: keepUntil }: ZoneRecord): string {
  if (rotation === 'next') return `${record}: the next key`;
  if (rotation === 'retiring')
    return `${record}: the old key; keep this record until ${keepUntil?.slice(0, 10) ?? ''}`;
  return record;
}

function lineOf({ type, name, value, ttl, priority }: ZoneRecord): string {
  return `${name}. ${ttl} IN ${type} ${priority === null ? '' : `${priority} `}${dataOf(type, value)}`;
}

function dataOf(type: ZoneRecord['type'], value: string): string {
  if (type === 'TXT') return stringsOf(value).join(' ');
  // For a service that is not offered, the target is the root (`.`), which already ends with a dot.
  return value.endsWith('.') ? value : `${value}.`;
}

function stringsOf(text: string): string[] {
  const octets = Buffer.from(text);
  const count = Math.max(1, Math.ceil(octets.length / MAX_STRING_OCTETS));
  return Array.from({ length: count }, (_, at) =>
    quoted(octets.subarray(at * MAX_STRING_OCTETS, (at + 1) * MAX_STRING_OCTETS)),
  );
}

/** Escapes characters that would end the string. Writes non-printable and non-ASCII octets as numbers (RFC 1035, section 5.1). */
function quoted(octets: Buffer): string {
  const text = Array.from(octets, (octet) => {
    const character = String.fromCodePoint(octet);
    if (character === '"' || character === '\\') return `\\${character}`;
    return octet >= 0x20 && octet < 0x7f ? character : `\\${String(octet).padStart(3, '0')}`;
  });
  return `"${text.join('')}"`;
}
