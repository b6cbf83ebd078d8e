/** DNS names, which allow more characters than the domain of an email address. */

/** A name has at most 255 octets on the wire (RFC 1035, section 2.3.4). Without length octets and the root, that is 253. */
const MAX_NAME = 253;
/** Allows underscores, which occur in names such as `_dmarc` (RFC 8552) and, against the rules, in some host names. */
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** Clients treat such a name as an IPv4 address (WHATWG URL, "ends in a number"). */
const ENDS_IN_NUMBER = /(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)$/;

/**
 * Normalizes a name that may be looked up and dialled: lower case, without a trailing dot. DNS allows any octets in labels; this
 * only allows letters, digits, hyphens and underscores.
 * @returns null for everything else: the root, an IP address, a name with other octets
 */
export function readDnsName(text: string): string | null {
  // 253 octets and the dot. A longer text could be a short name with escapes, but those are rejected too.
  if (text.length > MAX_NAME + 1) return null;
  const name = (text.endsWith('.') ? text.slice(0, -1) : text).toLowerCase();
  if (name.length > MAX_NAME || ENDS_IN_NUMBER.test(name)) return null;
  return name.split('.').every((label) => LABEL.test(label)) ? name : null;
}
