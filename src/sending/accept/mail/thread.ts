/** The thread that reads large messages submitted by applications. */
import { parentPort } from 'node:worker_threads';
import { readMail } from './read-mail.ts';

/** Shorter results may share their memory with other buffers. */
const OWN_MEMORY_OCTETS = 16_384;

parentPort?.on('message', (bytes: SharedArrayBuffer) => {
  const reading = readMail(Buffer.from(bytes));
  const data = 'errors' in reading ? null : reading.message.data;
  // The octets to send are transferred instead of copied.
  const isOwn = data !== null && data.length > OWN_MEMORY_OCTETS;
  parentPort?.postMessage(reading, isOwn ? [data.buffer as ArrayBuffer] : []);
});
