/** Networks in the operator's configuration: IP addresses, and ranges in CIDR notation. */
import { BlockList, isIP, isIPv4 } from 'node:net';
import { clientAddress } from './client-network.ts';

/** A set of networks, fast enough to check for each connection. */
export class Networks {
  readonly #networks = new BlockList();

  /** @param networks each valid for `isNetwork` */
  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [address = '', prefix] = network.split('/');
      const family = isIPv4(address) ? 'ipv4' : 'ipv6';
      if (prefix === undefined) this.#networks.addAddress(address, family);
      else this.#networks.addSubnet(address, Number(prefix), family);
    }
  }

  /** @param ip the address of a client. An IPv4-mapped IPv6 address counts as IPv4, and a text that is not an address is in no network */
  includes(ip: string): boolean {
    const address = clientAddress(ip);
    return address !== null && this.#networks.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  }
}

/** Whether a text is an IP address without a zone, or a range in CIDR notation. */
export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const family = address.includes('%') ? 0 : isIP(address);
  if (family === 0 || more.length > 0) return false;
  return (
    prefix === undefined ||
    (/^(?:0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128))
  );
}
