/** The PROXY header at the start of a connection: taken from the socket where it must come, found where it must not. */
import type { Socket } from 'node:net';
import { within } from '../../concurrency/within.ts';
import { readProxyHeader } from '../../rfc/proxy-protocol/read-header.ts';

/**
 * `missing`: a connection from a proxy begins without a header, or says nothing in time. `malformed`: it begins with a broken one.
 * `unexpected`: one came from an address that is no proxy.
 */
export type ProxyFault = 'missing' | 'malformed' | 'unexpected';

type TakenHeader =
  /** The client's IP address; null: the address of the connection holds. */
  | { source: string | null }
  | { fault: Exclude<ProxyFault, 'unexpected'> }
  /** The connection ended without a byte, as the health checks of balancers do, or within the header. */
  | { fault: null };

const NOTHING = Buffer.alloc(0);

/**
 * Reads the header that a proxy must send first, of at most 2 KiB. What follows it stays in the socket, which is paused. Never rejects.
 * @param timeoutMs for all of the header
 */
export async function takeProxyHeader(socket: Socket, timeoutMs: number): Promise<TakenHeader> {
  const { promise, resolve } = Promise.withResolvers<TakenHeader>();
  let octets: Buffer = NOTHING;
  const hear = (chunk: Buffer): void => {
    octets = octets.length === 0 ? chunk : Buffer.concat([octets, chunk]);
    const read = readProxyHeader(octets);
    if (read === 'incomplete') return;
    socket.pause();
    socket.off('data', hear);
    if (typeof read === 'string') return resolve({ fault: read === 'none' ? 'missing' : 'malformed' });
    const rest = octets.subarray(read.octets);
    if (rest.length > 0) socket.unshift(rest);
    resolve({ source: read.source });
  };
  const gone = (): void => resolve({ fault: null });
  socket.on('data', hear);
  for (const event of ['end', 'close'] as const) socket.once(event, gone);
  const taken = await within(timeoutMs, promise, { fault: 'missing' } as const);
  socket.off('data', hear);
  for (const event of ['end', 'close'] as const) socket.off(event, gone);
  return taken;
}

/** Whether what a connection sent first begins a PROXY header, whole or broken. */
export function beginsWithHeader(octets: Buffer): boolean {
  const read = readProxyHeader(octets);
  return read !== 'incomplete' && read !== 'none';
}

/** Reads along until it is known how the connection begins. @param onFound it begins with a header, whole or broken */
export function watchForHeader(socket: Socket, onFound: () => void): void {
  let octets: Buffer = NOTHING;
  socket.on('data', function hear(chunk: Buffer) {
    octets = Buffer.concat([octets, chunk]);
    const read = readProxyHeader(octets);
    if (read === 'incomplete') return;
    socket.off('data', hear);
    if (read !== 'none') onFound();
  });
}
