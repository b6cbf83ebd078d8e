import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Normalizes the address of a client. Returns null for a text that is not an address. An IPv4-mapped IPv6 address (RFC 4291, section
 * 2.5.5.2) becomes the IPv4 address.
 */
export function clientAddress(ip: string): string | null {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped !== undefined && isIPv4(mapped)) return mapped;
  if (isIPv4(ip)) return ip;
  const address = ip.replace(/%.*$/, '');
  return isIPv6(address) ? address : null;
}

/**
 * The network that counts as one client in limits by address: an IPv4 address, or the /64 of an IPv6 address, which usually belongs
 * to one customer.
 */
export function clientNetwork(ip: string): string {
  const address = clientAddress(ip);
  // A trusted proxy may send any text as the address of a client. All clients without a valid address count as one client.
  if (address === null) return 'unknown';
  if (isIPv4(address)) return address;
  const groups = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return groups.map((group) => group.toString(16)).join(':');
}

/**
 * The network of a larger customer, such as a data center or a sending service: the /24 of an IPv4 address, or the /48 of an IPv6 address.
 */
export function widerNetwork(ip: string): string {
  const address = clientAddress(ip);
  if (address === null) return 'unknown';
  return isIPv4(address) ? address.split('.', 3).join('.') : clientNetwork(address).split(':', 3).join(':');
}

/** Whether an address is a loopback address, whose traffic never leaves this machine. @param ip the result of `clientAddress` */
export function isLoopback(ip: string): boolean {
  return ip === '::1' || (isIPv4(ip) && ip.startsWith('127.'));
}
