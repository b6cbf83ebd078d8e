/** The thread that reads large messages that were caught. */
import { parentPort } from 'node:worker_threads';
import { CAUGHT } from './read-message.ts';

parentPort?.on('message', (bytes: SharedArrayBuffer) =>
  parentPort?.postMessage(CAUGHT.read(Buffer.from(bytes)), []),
);
