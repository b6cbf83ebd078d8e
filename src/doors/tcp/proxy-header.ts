/** Reads the PROXY header at the start of connections from proxies and detects a PROXY header on other connections. */
import type { Socket } from 'node:net';
import { within } from '../../concurrency/within.ts';
import { readProxyHeader } from '../../rfc/proxy-protocol/read-header.ts';

/**
 * `missing`: a connection from a proxy begins without a header, or no header arrives in time. `malformed`: the header is invalid.
 * `unexpected`: a connection that is not from a proxy begins with a header.
 */
export type ProxyFault = 'missing' | 'malformed' | 'unexpected';

type ProxyHeaderResult =
  /** The client's IP address. Null if the peer of the socket is the client. */
  | { source: string | null }
  | { fault: Exclude<ProxyFault, 'unexpected'> }
  /** The connection ended before the whole header arrived. Load balancers do this as a health check. */
  | { fault: null };

const NOTHING = Buffer.alloc(0);

/**
 * Reads the header, of at most 2 KiB, that a proxy must send first. Input after the header stays in the paused socket. Never rejects.
 * @param timeoutMs time limit for the whole header
 */
export async function receiveProxyHeader(socket: Socket, timeoutMs: number): Promise<ProxyHeaderResult> {
  const { promise, resolve } = Promise.withResolvers<ProxyHeaderResult>();
  let octets: Buffer = NOTHING;
  const onData = (chunk: Buffer): void => {
    octets = octets.length === 0 ? chunk : Buffer.concat([octets, chunk]);
    const read = readProxyHeader(octets);
    if (read === 'incomplete') return;
    socket.pause();
    socket.off('data', onData);
    if (typeof read === 'string') return resolve({ fault: read === 'none' ? 'missing' : 'malformed' });
    const rest = octets.subarray(read.octets);
    if (rest.length > 0) socket.unshift(rest);
    resolve({ source: read.source });
  };
  const onClose = (): void => resolve({ fault: null });
  socket.on('data', onData);
  for (const event of ['end', 'close'] as const) socket.once(event, onClose);
  const result = await within(timeoutMs, promise, { fault: 'missing' } as const);
  socket.off('data', onData);
  for (const event of ['end', 'close'] as const) socket.off(event, onClose);
  return result;
}

/** Whether the first input of a connection begins with a PROXY header, valid or malformed. */
export function beginsWithHeader(octets: Buffer): boolean {
  const read = readProxyHeader(octets);
  return read !== 'incomplete' && read !== 'none';
}

/** Inspects the first input of a connection without consuming it. @param onFound called if the input begins with a header, valid or malformed */
export function watchForHeader(socket: Socket, onFound: () => void): void {
  let octets: Buffer = NOTHING;
  socket.on('data', function onData(chunk: Buffer) {
    octets = Buffer.concat([octets, chunk]);
    const read = readProxyHeader(octets);
    if (read === 'incomplete') return;
    socket.off('data', onData);
    if (read !== 'none') onFound();
  });
}
