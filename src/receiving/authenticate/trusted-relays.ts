/**
 * Gateways and backup MX servers that the operator configured (POSTHORN_TRUSTED_RELAYS). Mail from a relay is judged by the
 * client of the relay, because the relay's own address says nothing about the sender.
 */
import { isLoopback } from '../../net/client-network.ts';
import type { Networks } from '../../net/networks.ts';
import { readReceivedFrom } from '../../rfc/message/received-from.ts';
import type { Arrival } from './authentication.ts';
import { headerEnd, readFields } from './fields.ts';
import { LIMITS } from './limits.ts';

export type OriginClient = Pick<Arrival, 'address' | 'helo' | 'mailFrom' | 'isRelayed'>;

/** How many Received fields are read. Each of the operator's servers that passes on the message adds one. */
const MAX_HOPS = 10;

export class TrustedRelays {
  readonly #networks: Pick<Networks, 'includes'>;

  constructor(networks: Pick<Networks, 'includes'>) {
    this.#networks = networks;
  }

  /** @param ip the client's address */
  includes(ip: string): boolean {
    return this.#networks.includes(ip);
  }

  /**
   * Returns the client by which the message is judged. For a message from a relay, this is the client named in the topmost Received
   * field. If that client is also a relay, it is the client in the next field, and so on. Fields below the relays' fields are never read,
   * because the sender may have written them. If a field does not clearly name a client, the returned client has an empty address.
   */
  clientOf(raw: Buffer, client: OriginClient): OriginClient {
    if (!this.includes(client.address)) return client;
    const bodyStart = Math.min(headerEnd(raw), LIMITS.headerOctets);
    const fields = readFields(raw, bodyStart).filter(({ name }) => name === 'received');
    for (const { start, end } of fields.slice(0, MAX_HOPS)) {
      const field = raw.toString('latin1', start, end);
      const from = readReceivedFrom(field.slice(field.indexOf(':') + 1));
      if (from === null) break;
      // A relay passes messages through local hops, such as a content filter.
      if (this.includes(from.address) || isLoopback(from.address)) continue;
      return { ...from, mailFrom: client.mailFrom, isRelayed: true };
    }
    return { address: '', helo: '', mailFrom: client.mailFrom, isRelayed: true };
  }
}
