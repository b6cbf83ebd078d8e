/** The worker thread that parses calendars. Calendars come from untrusted senders. Parsing one may take long, so it must not block the event loop. */
import { parentPort } from 'node:worker_threads';
import { findCalendar } from './find-calendar.ts';

parentPort?.on('message', (raw: Uint8Array) => {
  const found = findCalendar(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength));
  parentPort?.postMessage({ found }, []);
});
