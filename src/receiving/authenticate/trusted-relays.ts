/**
 * Gateways and backup MX that an operator named (POSTHORN_TRUSTED_RELAYS). What they bring is judged for the client that they received it
 * from: their own address says nothing of the sender.
 */
import { isLoopback } from '../../net/client-network.ts';
import type { Networks } from '../../net/networks.ts';
import { readReceivedFrom } from '../../rfc/message/received-from.ts';
import type { Arrival } from './authentication.ts';
import { headerEnd, readFields } from './fields.ts';
import { LIMITS } from './limits.ts';

export type OriginClient = Pick<Arrival, 'address' | 'helo' | 'mailFrom' | 'isRelayed'>;

/** Servers of an operator that pass a message on to each other. */
const MAX_HOPS = 10;

export class TrustedRelays {
  readonly #networks: Pick<Networks, 'includes'>;

  constructor(networks: Pick<Networks, 'includes'>) {
    this.#networks = networks;
  }

  /** @param ip of a client */
  includes(ip: string): boolean {
    return this.#networks.includes(ip);
  }

  /**
   * Whom a message is judged for. Behind a relay that is the client in its Received field, which is on top; where that client is a relay
   * too, the one in the next field, and so on. No field below those of relays is read: the sender may have written it. Where a field
   * names no client for certain, the client is unknown: its address is empty.
   */
  clientOf(raw: Buffer, client: OriginClient): OriginClient {
    if (!this.includes(client.address)) return client;
    const bodyStart = Math.min(headerEnd(raw), LIMITS.headerOctets);
    const fields = readFields(raw, bodyStart).filter(({ name }) => name === 'received');
    for (const { start, end } of fields.slice(0, MAX_HOPS)) {
      const field = raw.toString('latin1', start, end);
      const from = readReceivedFrom(field.slice(field.indexOf(':') + 1));
      if (from === null) break;
      // A relay passes messages on within itself, to a filter and back.
      if (this.includes(from.address) || isLoopback(from.address)) continue;
      return { ...from, mailFrom: client.mailFrom, isRelayed: true };
    }
    return { address: '', helo: '', mailFrom: client.mailFrom, isRelayed: true };
  }
}
