/** Address literals: `[192.0.2.1]` and `[IPv6:2001:db8::1]` (RFC 5321, section 4.1.3). */
import { isIPv4, isIPv6 } from 'node:net';

const TAG = /^IPv6:/i;

/**
 * The normal form of a literal (RFC 5952 for IPv6), such that two spellings of one address give the same string.
 * IPv6 is the only registered tag.
 *
 * @param text with its square brackets
 * @returns or what is wrong, as `the domain ...`
 */
export function parseAddressLiteral(text: string): string | { error: string } {
  if (!text.endsWith(']')) return { error: 'the domain is an address literal without its closing bracket' };
  const inner = text.slice(1, -1);
  // Numbers with leading zeros, which some read as octal, are refused by isIPv4.
  if (isIPv4(inner)) return text;
  const address = inner.replace(TAG, '');
  // A zone (`fe80::1%eth0`) means something on one machine only.
  if (address === inner || !isIPv6(address) || address.includes('%')) {
    return { error: 'the domain is not an address literal; write [192.0.2.1] or [IPv6:2001:db8::1]' };
  }
  return `[IPv6:${new URL(`http://[${address}]`).hostname.slice(1, -1)}]`;
}
