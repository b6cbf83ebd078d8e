/** A worker thread that downloads a URL and reports the SHA-256 of the file. */
import { createHash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';

const answer = await fetch(workerData as string);
if (answer.status !== 200) throw new Error(`The download returned ${answer.status}`);
const got = createHash('sha256');
for await (const piece of answer.body ?? []) got.update(piece);
parentPort?.postMessage(got.digest('hex'), []);
