/** The worker thread that parses calendars. They come from untrusted senders and may take long, so they must not block the event loop. */
import { parentPort } from 'node:worker_threads';
import { findCalendar } from './find-calendar.ts';

parentPort?.on('message', (raw: Uint8Array) => {
  const found = findCalendar(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength));
  parentPort?.postMessage({ found }, []);
});
