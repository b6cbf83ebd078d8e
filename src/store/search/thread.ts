/** The thread that indexes words. It has its own connection, so that texts do not pass through the main event loop. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '../../db/database.ts';
import { indexNext } from './index-mailbox.ts';
import type { IndexRequest } from './search-indexer.ts';
import { TIMINGS } from './timings.ts';

const { url, requests } = workerData as { url: string; requests: IndexRequest[] };
const database = openDatabase(url, { poolSize: 1 });
for (const { key, before } of requests)
  while (await indexNext(database, key, before)) await sleep(TIMINGS.pauseMs);
await database.destroy();
parentPort?.close();
