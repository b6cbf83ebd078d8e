/** Measures how attachment uploads in the web client affect the API and the memory. */
import { join } from 'node:path';
import { openDatabase } from '../../src/db/database.ts';
import { attach, signIn } from '../support/link-client.ts';
import { measureApi } from '../support/load.ts';
import { type Context, Runs, rounds } from '../support/part.ts';
import { startProduct } from '../support/product.ts';
import type { Row } from '../support/table.ts';
import { memoryMb, total, watchMemory } from '../support/usage.ts';

const MIB = 1024 * 1024;
/** The maximum file size in the plan `free` is 20 MiB. Two files of this size make a message of 40 MiB. */
const FILE_BYTES = 20 * MIB;
const FILES_OF_MESSAGE = 2;
/** How many messages upload their files at the same time. Together they use all parallel uploads that a mailbox may have. */
const WRITERS = 2;
/** How many messages keep their uploads, which is close to a mailbox's limit on stored uploads. */
const MESSAGES_KEPT = 10;

export async function attachments(context: Context): Promise<Row[]> {
  const { quick, folder, log } = context;
  const durationMs = quick ? 500 : 8_000;
  const product = await startProduct(join(folder, 'product'), {});
  const token = await product.createKey();
  const database = openDatabase(product.databaseUrl);
  const client = await signIn(product, database);
  await database.destroy();
  const runs = new Runs();
  let messages = 0;
  const write = async (isOver: () => boolean): Promise<void> => {
    do {
      await Promise.all(
        Array.from({ length: FILES_OF_MESSAGE }, () => attach(product, client, quick ? MIB : FILE_BYTES)),
      );
      if (++messages % MESSAGES_KEPT === 0) await product.query('delete from uploads');
    } while (!isOver());
  };
  const api = () => measureApi(product.port, token, durationMs);
  // The sum of the memory of all processes, including PostgreSQL.
  const memory = () => total(memoryMb(product.processes()));
  // Warm up, because memory that a process allocates for its first requests must not be measured as memory for files.
  await api();
  for (const round of rounds(context)) {
    const alone = await watchMemory(memory, api);
    const before = messages;
    const startedAt = performance.now();
    const beside = await watchMemory(memory, async () => {
      let isOver = false;
      const writing = Promise.all(Array.from({ length: WRITERS }, () => write(() => isOver)));
      const report = await api().finally(() => (isOver = true));
      await writing;
      return report;
    });
    const seconds = (performance.now() - startedAt) / 1_000;
    runs.add('api', beside.result.p99Ms - alone.result.p99Ms);
    runs.add('memory', Math.max(0, beside.most - alone.most));
    runs.add('taken', ((messages - before) * FILES_OF_MESSAGE * (quick ? 1 : FILE_BYTES / MIB)) / seconds);
    log(
      `round ${round}: p99 ${alone.result.p99Ms.toFixed(1)} and ${beside.result.p99Ms.toFixed(1)} ms, ${alone.most.toFixed(0)} and ${beside.most.toFixed(0)} MB`,
    );
  }
  await product.stop();
  const atMost50 = { on: 'value', sense: 'at most', limit: 50 } as const;
  return [
    {
      measure: `small emails beside ${WRITERS * FILES_OF_MESSAGE} uploads: p99, increase over alone`,
      unit: 'ms',
      runs: runs.of('api'),
      goal: atMost50,
    },
    { measure: 'peak memory, increase over alone', unit: 'MB', runs: runs.of('memory'), goal: atMost50 },
    { measure: 'files uploaded', unit: 'MiB/s', runs: runs.of('taken') },
  ];
}
