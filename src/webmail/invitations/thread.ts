/**
 * The worker thread that parses calendars. A calendar from an untrusted sender may take long to parse and must not block the event loop.
 */
import { parentPort } from 'node:worker_threads';
import { findCalendar } from './find-calendar.ts';

parentPort?.on('message', (raw: Uint8Array) => {
  const found = findCalendar(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength));
  parentPort?.postMessage({ found }, []);
});
