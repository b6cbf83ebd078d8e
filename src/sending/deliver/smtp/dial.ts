import { connect, type LookupFunction, type Socket } from 'node:net';

/** `error` is the system's code, for example ECONNREFUSED. */
export type DialResult = { readonly socket: Socket } | { readonly error: string };

export interface DialOptions {
  timeoutMs: number;
  /** Absent: the system's resolver. */
  lookup?: LookupFunction | undefined;
  /** Ends the connection, at any time. */
  signal: AbortSignal;
}

export function dial(
  host: string,
  port: number,
  { timeoutMs, lookup, signal }: DialOptions,
): Promise<DialResult> {
  return new Promise((resolve) => {
    // Every write is a complete group of commands, so waiting for more data would only add a delay.
    const socket = connect({ host, port, signal, lookup, noDelay: true });
    const fail = (error: string): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ error });
    };
    const timer = setTimeout(fail, timeoutMs, 'ETIMEDOUT');
    socket.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message));
    socket.once('connect', () => {
      clearTimeout(timer);
      resolve({ socket });
    });
  });
}
