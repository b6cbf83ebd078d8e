/** A process that does one job in an endless loop: deliver messages, check and delete messages, or sweep blobs. A test kills it. */
import { hash, randomInt } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { pino } from 'pino';
import { Blobs, MAX_ROW_BYTES } from '../../src/blobs/blobs.ts';
import { writingBlobs } from '../../src/blobs/prepared-blob.ts';
import { ObjectFiles } from '../../src/blobs/object-files.ts';
import { openDatabase } from '../../src/db/database.ts';
import { BlobSweeper } from '../../src/retention/sweep-blobs.ts';
import { referTo } from './blobs.ts';

const [role, url = '', folder = '', projectId = ''] = process.argv.slice(2);
const database = openDatabase(url);
const objects = new ObjectFiles(folder);
const blobs = new Blobs(database, objects);
/** With these times, unreferenced blobs are swept at once, and an object without a row is deleted after two seconds. */
const timings = { blobsMs: 0, unusedMs: -1_000, objectsMs: 0, strayMs: 2_000 };

/** The delivered texts. There are only six, so that each text is stored and deleted again and again. */
const TEXTS = Array.from({ length: 6 }, (_, n) =>
  hash('sha256', `${n}`).repeat(n < 4 ? 1 : MAX_ROW_BYTES / 50),
);

async function deliver(): Promise<void> {
  const blob = await blobs.prepare(projectId, Buffer.from(TEXTS[randomInt(TEXTS.length)] ?? ''));
  await database.transaction().execute(async (tx) => {
    await sql`with ${writingBlobs([blob], timings).sql} select`.execute(tx);
    for (let tick = randomInt(20); tick > 0; tick--) await setImmediate();
    await referTo(tx, blob);
  });
  process.stdout.write('delivered\n');
}

async function forget(): Promise<void> {
  const digest = hash('sha256', TEXTS[randomInt(TEXTS.length)] ?? '', 'buffer');
  await sql`delete from message_contents where project_id = ${projectId} and digest = ${digest}`.execute(
    database,
  );
}

async function sweep(): Promise<void> {
  const sweeper = new BlobSweeper(objects, pino({ enabled: false }), timings);
  for await (const _ of sweeper.sweeping(database)) continue;
}

/** Uses one statement to find messages whose blob is missing, and reports them. Then deletes a message. */
async function watch(): Promise<void> {
  const { rows } = await sql<{ object: string | null }>`
    select b.object from message_contents c
    left join blobs b using (project_id, digest) where num_nonnulls(b.bytes, b.object) = 0`.execute(database);
  if (rows.length > 0) process.stdout.write('lost\n');
  await forget();
}

const work = { deliver, watch, sweep }[role ?? ''];
if (work === undefined) throw new Error(`There is no role ${role}`);
process.stdout.write('begun\n');
async function workOn(): Promise<void> {
  for (;;) {
    await work?.();
    await setImmediate();
  }
}
await Promise.all(Array.from({ length: role === 'sweep' ? 1 : 4 }, workOn));
