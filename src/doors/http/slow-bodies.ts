/** Marks requests whose bodies may take longer than a minute: large files. The reader of such a body enforces its own pace. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

const sockets = new WeakMap<Duplex, IncomingMessage>();

/** Exempts a request from the time limit for whole requests. The limits for its headers and for a socket without traffic still apply. */
export function mayTakeLong(request: IncomingMessage): void {
  sockets.set(request.socket, request);
}

/** Whether the request arriving on the socket is exempt. */
export function isSlow(socket: Duplex): boolean {
  const request = sockets.get(socket);
  return request !== undefined && !request.complete && !request.destroyed;
}
