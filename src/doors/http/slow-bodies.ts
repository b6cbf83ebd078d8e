/** Requests whose bodies may take longer than a minute: large files. Who reads such a body sees to it that it goes on. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

const sockets = new WeakMap<Duplex, IncomingMessage>();

/** The time for all of a request does not end this one. That for its headers is over, and a socket without a byte is still closed. */
export function mayTakeLong(request: IncomingMessage): void {
  sockets.set(request.socket, request);
}

/** Whether the request that is arriving there may. */
export function takesItsTime(socket: Duplex): boolean {
  const request = sockets.get(socket);
  return request !== undefined && !request.complete && !request.destroyed;
}
