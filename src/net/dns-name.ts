/** Parses DNS names, which may contain more characters than the domain of an email address, and writes addresses as DNS names. */
import type ipaddr from 'ipaddr.js';

/**
 * The maximum length as text. A DNS message allows 255 octets (RFC 1035, section 2.3.4), but two of them are the first length and the root.
 */
const MAX_NAME = 253;
/** A label. Underscores occur in names such as `_dmarc` (RFC 8552) and, against the rules, in some host names. */
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** Matches names that clients treat as an IPv4 address (WHATWG URL, "ends in a number"). */
const ENDS_IN_NUMBER = /(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)$/;

/**
 * Normalizes a name that may be looked up and dialed: lower case, without a trailing dot. DNS allows any octets in labels, but this
 * function accepts only letters, digits, hyphens and underscores.
 * @returns null for any other text, such as the root, an IP address, or a name with other octets
 */
export function readDnsName(text: string): string | null {
  // One more character for a trailing dot. A longer text might be a shorter name written with escapes, but escapes are rejected anyway.
  if (text.length > MAX_NAME + 1) return null;
  const name = (text.endsWith('.') ? text.slice(0, -1) : text).toLowerCase();
  if (name.length > MAX_NAME || ENDS_IN_NUMBER.test(name)) return null;
  return name.split('.').every((label) => LABEL.test(label)) ? name : null;
}

/**
 * The first labels of the name under which an address is looked up, in a reverse zone or in a blocklist (RFC 5782, sections 2.1 and 2.4): the
 * numbers of an IPv4 address or the hexadecimal digits of an IPv6 address, the last one first.
 */
export function reverseLabels(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  const octets = address.toByteArray();
  const labels =
    address.kind() === 'ipv4' ? octets : octets.flatMap((octet) => [...octet.toString(16).padStart(2, '0')]);
  return labels.toReversed().join('.');
}
