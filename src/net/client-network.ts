import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The address of a client as people write it; null when it is not an address. An IPv4 address inside IPv6 (RFC 4291, section
 * 2.5.5.2) is the IPv4 address.
 */
export function clientAddress(ip: string): string | null {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped !== undefined && isIPv4(mapped)) return mapped;
  if (isIPv4(ip)) return ip;
  const address = ip.replace(/%.*$/, '');
  return isIPv6(address) ? address : null;
}

/**
 * What counts as one client for limits by address: an IPv4 address, or the /64 of an IPv6 address, all of which
 * one customer of a network holds.
 */
export function clientNetwork(ip: string): string {
  const address = clientAddress(ip);
  // A trusted proxy may pass on any text as an address: all such clients count as one.
  if (address === null) return 'unknown';
  if (isIPv4(address)) return address;
  const groups = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return groups.map((group) => group.toString(16)).join(':');
}

/**
 * What a larger customer of a network holds, such as a data centre or a sending service: the /24 of an IPv4 address, or the /48
 * of an IPv6 address.
 */
export function widerNetwork(ip: string): string {
  const address = clientAddress(ip);
  if (address === null) return 'unknown';
  return isIPv4(address) ? address.split('.', 3).join('.') : clientNetwork(address).split(':', 3).join(':');
}

/** Whether an address is that of this machine, so that nobody on the way hears what is said to it. @param ip as `clientAddress` gives it */
export function isLoopback(ip: string): boolean {
  return ip === '::1' || (isIPv4(ip) && ip.startsWith('127.'));
}
