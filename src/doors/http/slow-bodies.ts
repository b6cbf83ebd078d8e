/**
 * Marks requests that carry large files. The bodies of these requests may take longer than a minute to arrive. The reader of a marked body
 * enforces a minimum pace.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

const sockets = new WeakMap<Duplex, IncomingMessage>();

/** Exempts a request from the time limit for whole requests. The limits for headers and for a socket without traffic still apply. */
export function mayTakeLong(request: IncomingMessage): void {
  sockets.set(request.socket, request);
}

/** Whether the request that is arriving on the socket was marked with `mayTakeLong`. */
export function isSlow(socket: Duplex): boolean {
  const request = sockets.get(socket);
  return request !== undefined && !request.complete && !request.destroyed;
}
