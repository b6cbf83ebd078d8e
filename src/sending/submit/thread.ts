/** The thread that prepares large messages. It imports as little as possible, because its start waits for every import. */
import { parentPort } from 'node:worker_threads';
import { type Preparing, prepareMessage } from './prepare-message.ts';

parentPort?.on('message', ({ raw, preparing }: { raw: Uint8Array<ArrayBuffer>; preparing: Preparing }) => {
  const prepared = prepareMessage(Buffer.from(raw.buffer), preparing);
  // Large buffers are transferred instead of copied. Each buffer has its own ArrayBuffer.
  const handed =
    prepared.outcome === 'prepared' ? [prepared.data, prepared.copy].filter((bytes) => bytes !== null) : [];
  parentPort?.postMessage(
    prepared,
    handed.map(({ buffer }) => buffer as ArrayBuffer),
  );
});
