/** The thread that reads large messages submitted by applications. */
import { parentPort } from 'node:worker_threads';
import { readMail } from './read-mail.ts';

parentPort?.on('message', (bytes: SharedArrayBuffer) => {
  const reading = readMail(Buffer.from(bytes));
  const data = 'errors' in reading ? null : reading.message.data;
  // The octets to send are transferred instead of copied, unless they share the memory pool of small buffers.
  const isOwn = data !== null && data.length === data.buffer.byteLength;
  parentPort?.postMessage(reading, isOwn ? [data.buffer as ArrayBuffer] : []);
});
