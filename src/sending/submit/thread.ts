/** The thread that prepares large messages. It imports as little as it can: each start of it waits for what it loads. */
import { parentPort } from 'node:worker_threads';
import { type Preparing, prepareMessage } from './prepare-message.ts';

parentPort?.on('message', ({ raw, preparing }: { raw: Uint8Array<ArrayBuffer>; preparing: Preparing }) => {
  const prepared = prepareMessage(Buffer.from(raw.buffer), preparing);
  // What is handed over is not copied. Each of these large ones has a buffer of its own.
  const handed =
    prepared.outcome === 'prepared' ? [prepared.data, prepared.copy].filter((bytes) => bytes !== null) : [];
  parentPort?.postMessage(
    prepared,
    handed.map(({ buffer }) => buffer as ArrayBuffer),
  );
});
