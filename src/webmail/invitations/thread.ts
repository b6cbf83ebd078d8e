/** The thread that reads calendars: what a stranger wrote may take long, and nobody but who looks at it is to wait. */
import { parentPort } from 'node:worker_threads';
import { findCalendar } from './find-calendar.ts';

parentPort?.on('message', (raw: Uint8Array) => {
  const found = findCalendar(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength));
  parentPort?.postMessage({ found }, []);
});
