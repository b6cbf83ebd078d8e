/** The worker thread that reads large messages. It imports as little as possible, because imports delay each start of the thread. */
import { parentPort, workerData } from 'node:worker_threads';
import { READINGS } from './readings.ts';

const reading = READINGS[workerData as keyof typeof READINGS];

parentPort?.on('message', (bytes: SharedArrayBuffer) =>
  parentPort?.postMessage(reading.read(Buffer.from(bytes)), []),
);
