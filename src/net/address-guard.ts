/** Decides which addresses may be dialed if a user or another server chose the host: only public addresses. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** IANA IPv4 Special-Purpose Address Registry (RFC 6890), multicast (RFC 5771), and reserved ranges. */
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
].map((range) => ipaddr.IPv4.parseCIDR(range));

/** The only part of IPv6 that is allocated for global unicast (RFC 4291, section 2.4). All other addresses are special. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** The ranges of the IANA IPv6 Special-Purpose Address Registry within `GLOBAL_IPV6`. */
const SPECIAL_IPV6 = [
  // Protocol assignments: Teredo, benchmarking, ORCHID and others.
  '2001::/23',
  '2001:db8::/32',
  // A 6to4 address contains an IPv4 address, which may be any.
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
].map((range) => ipaddr.IPv6.parseCIDR(range));

/** In front of the last 32 bits, this value says that they are an IPv4 address, after any prefix (ISATAP, RFC 5214, section 6.1). */
const ISATAP_MARK = 0x5efe;

export interface DialPolicy {
  /** Allows this machine: 127.0.0.0/8 and ::1. */
  allowLoopback: boolean;
  /** Allows the networks of RFC 1918, and fc00::/7 (RFC 4193). Default: false. */
  allowPrivate?: boolean;
}

/**
 * Whether an address may be dialed: it is public, or the policy allows its range. An IPv4-mapped address (::ffff:0:0/96) gets the verdict
 * of its IPv4 address, except that loopback is rejected. IPv6 addresses that contain an IPv4 address for a translator or a tunnel (NAT64,
 * 6to4, Teredo, ISATAP) are always rejected.
 * @param ip an address that `net.isIP` accepts. Any other text, and an address with a zone, is rejected
 */
export function isDialable(ip: string, policy: DialPolicy): boolean {
  const family = ip.includes('%') ? 0 : isIP(ip);
  if (family === 0) return false;
  if (family === 4) {
    const address = ipaddr.IPv4.parse(ip);
    return isPublicIPv4(address) || isAllowed(address.range(), policy);
  }
  const address = ipaddr.IPv6.parse(withoutDots(ip));
  if (address.isIPv4MappedAddress()) return isPublicIPv4(address.toIPv4Address());
  return isPublicIPv6(address) || isAllowed(address.range(), policy);
}

function isAllowed(range: string, { allowLoopback, allowPrivate = false }: DialPolicy): boolean {
  if (range === 'loopback') return allowLoopback;
  return allowPrivate && (range === 'private' || range === 'uniqueLocal');
}

/** Rewrites an IPv6 address as URLs have it, without dots, because ipaddr.js reads ::8.8.8.8 as ::ffff:8.8.8.8. */
function withoutDots(ip: string): string {
  return new URL(`http://[${ip}]`).hostname.slice(1, -1);
}

function isPublicIPv4(address: ipaddr.IPv4): boolean {
  return !SPECIAL_IPV4.some((range) => address.match(range));
}

function isPublicIPv6(address: ipaddr.IPv6): boolean {
  const isIsatap = address.parts[5] === ISATAP_MARK && ((address.parts[4] ?? 0) & 0xfdff) === 0;
  return address.match(GLOBAL_IPV6) && !isIsatap && !SPECIAL_IPV6.some((range) => address.match(range));
}
