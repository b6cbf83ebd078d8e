/** The visitor who follows a link of a message, as far as the request tells. */
import type { FastifyRequest } from 'fastify';
import { isMachine } from '../../../sending/track/is-machine.ts';
import { clientAddress } from '../../../net/client-network.ts';

export interface Visitor {
  /** Null: not known. */
  ip: string | null;
  /** Printable ASCII. */
  userAgent: string | null;
  isMachine: boolean;
}

const MAX_USER_AGENT = 500;
const PURPOSE_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

export function visitorOf({ ip, headers }: FastifyRequest): Visitor {
  const userAgent = headers['user-agent'] ?? null;
  const purposes = PURPOSE_HEADERS.flatMap((name) => headers[name] ?? []);
  return {
    // Once the client is gone there is no address any more.
    ip: clientAddress(ip ?? ''),
    userAgent: userAgent?.slice(0, MAX_USER_AGENT).replaceAll(/[^ -~]/g, '?') ?? null,
    isMachine: isMachine({ userAgent, purposes }),
  };
}
