import type { OnReadOpts } from 'node:net';

/** One buffer is enough for all connections, because the bytes of a read are copied before the next read. */
const BUFFER = Buffer.allocUnsafeSlow(65_536);

/**
 * The option `onread` of a socket that does not allocate memory for each read. By default, Node.js allocates 64 KB and then shrinks them to
 * the bytes that have arrived, usually a few hundred. This takes time, and leaves gaps that glibc cannot return to the system.
 * @param onChunk must emit the socket's event `data`, which Node.js does not emit with this option
 */
export function sharedReadBuffer(onChunk: (chunk: Buffer) => void): OnReadOpts {
  return {
    buffer: BUFFER,
    callback: (length) => {
      onChunk(Buffer.from(BUFFER.subarray(0, length)));
      return true;
    },
  };
}
