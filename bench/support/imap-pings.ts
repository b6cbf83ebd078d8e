/** Measures how long another mail app waits, in a separate thread, because this thread is busy with responses. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { ImapConnection, type ImapEndpoint } from './imap.ts';

const PAUSE_MS = 2;

/** @returns the longest wait for the response to NOOP during the work, in milliseconds */
export async function longestPing(place: ImapEndpoint, work: () => Promise<unknown>): Promise<number> {
  const worker = new Worker(new URL(import.meta.url), { workerData: place });
  await once(worker, 'message');
  await work();
  worker.postMessage('done', []);
  const [longest] = (await once(worker, 'message')) as [number];
  await worker.terminate();
  return longest;
}

if (!isMainThread) {
  const connection = await ImapConnection.signIn(workerData as ImapEndpoint);
  await connection.time('NOOP');
  let isDone = false;
  parentPort?.once('message', () => {
    isDone = true;
  });
  parentPort?.postMessage('ready', []);
  let longest = 0;
  while (!isDone) {
    longest = Math.max(longest, await connection.time('NOOP'));
    await sleep(PAUSE_MS);
  }
  connection.close();
  parentPort?.postMessage(longest, []);
}
