/** The thread that reads large messages submitted by applications. */
import { parentPort } from 'node:worker_threads';
import { readMail } from './read-mail.ts';

parentPort?.on('message', (bytes: SharedArrayBuffer) =>
  parentPort?.postMessage(readMail(Buffer.from(bytes)), []),
);
