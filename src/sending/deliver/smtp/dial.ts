import { connect, type LookupFunction, type Socket } from 'node:net';
import { sharedReadBuffer } from '../../../concurrency/shared-read-buffer.ts';

/** `error` is the error code of the system, such as ECONNREFUSED. */
export type DialResult = { readonly socket: Socket } | { readonly error: string };

export interface DialOptions {
  timeoutMs: number;
  /** Absent: the system's resolver. */
  lookup?: LookupFunction | undefined;
  /** Ends the connection, during or after its set-up. */
  signal: AbortSignal;
}

export function dial(
  host: string,
  port: number,
  { timeoutMs, lookup, signal }: DialOptions,
): Promise<DialResult> {
  return new Promise((resolve) => {
    // `noDelay`, because every write is a complete group of commands, and waiting for more data would only add a delay.
    const onread = sharedReadBuffer((chunk) => socket.emit('data', chunk));
    const socket: Socket = connect({ host, port, signal, lookup, noDelay: true, onread });
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
