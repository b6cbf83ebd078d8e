/** Delivers the same bytes again and again while the blob sweeper runs, and repeatedly kills the processes that do this. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { pino } from 'pino';
import { Blobs } from '../../src/blobs/blobs.ts';
import { ObjectFiles } from '../../src/blobs/object-files.ts';
import { newUuid, NIL_UUID } from '../../src/model/ids.ts';
import { BlobSweeper } from '../../src/retention/sweep-blobs.ts';
import type { Patch } from '../support/patches.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';
import { happensAtLast } from './support.ts';

const PROGRAM = fileURLToPath(new URL('../support/blob-roles.ts', import.meta.url));
const PATCH_LOADER = new URL('../support/patch-loader.ts', import.meta.url).href;
const ROLES = ['deliver', 'deliver', 'watch', 'sweep'];
const ROUNDS = 4;
const ROUND_MS = 700;

interface Arena {
  db: TestDatabase;
  folder: string;
  projectId: string;
}

/** @param onSaid called with each word that the process prints */
async function start(
  role: string,
  { db, folder, projectId }: Arena,
  patches: Patch[],
  onSaid: (word: string) => void,
): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    ['--import', PATCH_LOADER, PROGRAM, role, db.url, folder, projectId],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, POSTHORN_TEST_PATCHES: JSON.stringify(patches) },
    },
  );
  const ended = once(child, 'exit').then(() => assert.fail(`${role} ended at once`));
  await Promise.race([once(child.stdout, 'data'), ended]);
  ended.catch(() => {});
  createInterface(child.stdout).on('line', onSaid);
  return child;
}

/** Counts the messages whose bytes are missing or incomplete. */
async function countLost({ db, folder, projectId }: Arena): Promise<number> {
  const blobs = new Blobs(db.database, new ObjectFiles(folder));
  const { rows } = await sql<{ digest: Buffer; octets: number }>`
    select distinct digest, octets from message_contents where project_id = ${projectId}`.execute(
    db.database,
  );
  let count = 0;
  for (const { digest, octets } of rows) {
    const bytes = await (await blobs.open(projectId, digest))?.read();
    if (bytes?.length !== octets) count += 1;
  }
  return count;
}

/** @returns the number of messages that lost their bytes, and the number of blobs left after all messages are deleted */
async function run(patches: Patch[]): Promise<{ lost: number; delivered: number; left: number }> {
  await using db = await testDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-blobs-killed-'));
  const arena = { db, folder, projectId: newUuid() };
  try {
    let lost = 0;
    let delivered = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const children = await Promise.all(
        ROLES.map((role) =>
          start(role, arena, patches, (word) => {
            if (word === 'lost') lost += 1;
            else delivered += 1;
          }),
        ),
      );
      await sleep(ROUND_MS);
      for (const child of children) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      // Wait until the backends of the killed processes have ended.
      await sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`.execute(db.database);
      lost += await countLost(arena);
      const { rows } = await sql<{
        count: number;
      }>`select count(*)::int as count from message_contents`.execute(db.database);
      delivered += rows[0]?.count ?? 0;
    }
    return { lost, delivered, left: await countGarbage(arena) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function countGarbage({ db, folder }: Arena): Promise<number> {
  await sql`truncate message_contents`.execute(db.database);
  const timings = { blobsMs: 0, unusedMs: -1_000, objectsMs: 0, strayMs: -1 };
  const objects = new ObjectFiles(folder);
  const sweeper = new BlobSweeper(objects, pino({ enabled: false }), timings);
  for await (const _ of sweeper.sweeping(db.database)) continue;
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from blobs`.execute(
    db.database,
  );
  let left = rows[0]?.count ?? 0;
  for await (const { projectId } of objects.list()) if (projectId !== NIL_UUID) left += 1;
  return left;
}

test('no message loses its bytes to the sweeper and no garbage is left when processes are killed', async () => {
  const result = await run([]);
  assert.ok(result.delivered > 100, `${result.delivered} messages`);
  assert.deepEqual([result.lost, result.left], [0, 0]);
});

test('control: messages lose their bytes if the sweeper does not lock the rows before it checks them', async () => {
  const unlocked = {
    file: 'src/retention/sweep-blobs.ts',
    protection: 'sweep-lock',
    replace: 'const locked = garbage;',
  };
  assert.ok(await happensAtLast(async () => (await run([unlocked])).lost > 0));
});
