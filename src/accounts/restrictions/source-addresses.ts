import { BlockList, isIPv4 } from 'node:net';
import { clientAddress } from '../../net/client-network.ts';

/** Where a key may be used from, ready to be asked for each request. */
export class SourceAddresses {
  readonly #networks = new BlockList();

  /** @param networks as `readRestrictions` gives them */
  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [address = '', prefix] = network.split('/');
      const family = isIPv4(address) ? 'ipv4' : 'ipv6';
      if (prefix === undefined) this.#networks.addAddress(address, family);
      else this.#networks.addSubnet(address, Number(prefix), family);
    }
  }

  /** @param ip of the client; a proxy may pass on any text as one, and that is nowhere */
  includes(ip: string): boolean {
    const address = clientAddress(ip);
    return address !== null && this.#networks.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  }
}
