/** The thread that reads large messages. It imports as little as it can: each start of it waits for what it loads. */
import { parentPort } from 'node:worker_threads';
import { readMessageFacts } from './message-facts.ts';

parentPort?.on('message', (bytes: SharedArrayBuffer) =>
  parentPort?.postMessage(readMessageFacts(Buffer.from(bytes)), []),
);
