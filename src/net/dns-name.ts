/** Names in DNS, where more is allowed than in the domain of a mail address. */

/** A name on the wire is at most 255 octets (RFC 1035, section 2.3.4); without length octets and root that is 253. */
const MAX_NAME = 253;
/** Underscores are allowed: names such as `_dmarc` have them (RFC 8552), and so do some hosts, against the rules. */
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** A client would take such a name for an IPv4 address (WHATWG URL, "ends in a number"). */
const ENDS_IN_NUMBER = /(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)$/;

/**
 * The normal form of a name that may be looked up and dialled: lower case, without a trailing dot. Labels may be
 * anything on the wire; here they are letters, digits, hyphens and underscores.
 * @returns null for everything else: the root, an IP address, a name with other octets in it
 */
export function readDnsName(text: string): string | null {
  // 253 octets and the dot. A longer text could still be a short name with escapes, but those are not names here.
  if (text.length > MAX_NAME + 1) return null;
  const name = (text.endsWith('.') ? text.slice(0, -1) : text).toLowerCase();
  if (name.length > MAX_NAME || ENDS_IN_NUMBER.test(name)) return null;
  return name.split('.').every((label) => LABEL.test(label)) ? name : null;
}
