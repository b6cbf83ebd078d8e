import { once } from 'node:events';
import type { Server } from 'node:net';

/** What a machine without IPv6 answers. */
const NO_IPV6_CODES = ['EAFNOSUPPORT', 'EADDRNOTAVAIL'];

/**
 * Listens on all addresses of this machine, IPv6 and IPv4.
 * @param listen on the addresses that it is given
 * @throws when the port is taken
 */
export async function onAllAddresses(listen: (host: string) => Promise<unknown>): Promise<void> {
  try {
    await listen('::');
  } catch (error) {
    if (!NO_IPV6_CODES.includes((error as { code?: string }).code ?? '')) throw error;
    await listen('0.0.0.0');
  }
}

/** @param port 0 picks a free one @throws when the port is taken */
export function listenOnAll(server: Server, port: number): Promise<void> {
  return onAllAddresses((host) => {
    server.listen({ host, port });
    return once(server, 'listening');
  });
}
