import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import type { Database } from '../db/database.ts';
import { firstUuidAt, newUuid } from '../model/ids.ts';
import { Blobs, MAX_ROW_BYTES } from './blobs.ts';
import { type PreparedBlob, writingBlobs } from './prepared-blob.ts';
import { ObjectFiles } from './object-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'posthorn-blobs-'));
const objects = new ObjectFiles(join(folder, 'blobs'));
let db: TestDatabase;
let blobs: Blobs;
before(async () => {
  db = await testDatabase();
  blobs = new Blobs(db.database, objects);
});
after(async () => {
  await db[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

async function write(prepared: readonly PreparedBlob[], database: Database = db.database): Promise<void> {
  await sql`with ${writingBlobs(prepared).sql} select`.execute(database);
}

async function store(projectId: string, bytes: Buffer): Promise<Buffer> {
  const prepared = await blobs.prepare(projectId, bytes);
  await write([prepared]);
  return prepared.digest;
}

async function read(projectId: string, digest: Buffer): Promise<Buffer | null> {
  return (await (await blobs.open(projectId, digest))?.read()) ?? null;
}

async function rowsOf(projectId: string) {
  return db.database.selectFrom('blobs').selectAll().where('projectId', '=', projectId).execute();
}

async function setUsedAt(projectId: string, age: string): Promise<void> {
  await sql`update blobs set used_at = now() - ${age}::interval where project_id = ${projectId}`.execute(
    db.database,
  );
}

describe('blobs', () => {
  test('are opened in bulk, in the requested order', async () => {
    const [projectId, other] = [newUuid(), newUuid()];
    const [small, large] = [Buffer.from('small'), randomBytes(MAX_ROW_BYTES + 1)];
    const [first, second] = [await store(projectId, small), await store(projectId, large)];
    const foreign = await store(other, Buffer.from('foreign'));
    const opened = await blobs.openAll(projectId, [second, foreign, first, second, Buffer.alloc(32)]);
    assert.deepEqual(await Promise.all(opened.map(async (blob) => blob?.read() ?? null)), [
      large,
      null,
      small,
      large,
      null,
    ]);
    assert.deepEqual(await opened[2]?.read({ start: 1, end: 3 }), Buffer.from('ma'));
    // Only a blob in a row can be read synchronously.
    assert.deepEqual([opened[2]?.readNow(), opened[0]?.readNow()], [small, null]);
    assert.deepEqual(await blobs.openAll(projectId, []), []);
  });

  test('have the stored bytes when they are read', async () => {
    const projectId = newUuid();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3_000 }), async (array) => {
        const bytes = Buffer.from(array);
        const digest = await store(projectId, bytes);
        assert.deepEqual(digest, createHash('sha256').update(bytes).digest());
        assert.deepEqual(await read(projectId, digest), bytes);
      }),
      { numRuns: 50 },
    );
  });

  const SIZES: [size: number, isObject: boolean][] = [
    [0, false],
    [1, false],
    [MAX_ROW_BYTES, false],
    [MAX_ROW_BYTES + 1, true],
    [3 * 1024 * 1024, true],
  ];
  for (const [size, isObject] of SIZES)
    test(`of ${size} bytes ${isObject ? 'are an object' : 'are in a row'}, and ranges of them can be read`, async () => {
      const projectId = newUuid();
      const bytes = randomBytes(size);
      const digest = await store(projectId, bytes);
      assert.equal((await rowsOf(projectId))[0]?.object !== null, isObject);
      const blob = await blobs.open(projectId, digest);
      assert.equal(blob?.size, size);
      assert.deepEqual(await blob?.read(), bytes);
      for (const range of [
        { start: 0, end: 10 },
        { start: size - 1, end: size + 5 },
        { start: size >> 1, end: (size >> 1) + 3 },
      ])
        if (range.start >= 0)
          assert.deepEqual(await blob?.read(range), bytes.subarray(range.start, range.end));
    });

  test('are compressed if they are text', async () => {
    const projectId = newUuid();
    await store(projectId, Buffer.from('Dear customer, your order was sent.\r\n'.repeat(500)));
    assert.ok(((await rowsOf(projectId))[0]?.bytes?.length ?? Infinity) < 1_000);
  });

  test('are stored once per project, and a project cannot read blobs of other projects', async () => {
    const [one, other] = [newUuid(), newUuid()];
    const bytes = Buffer.from('hello');
    const digest = await store(one, bytes);
    assert.equal(await read(other, digest), null);
    const again = await blobs.prepare(one, bytes);
    await write([again, again, await blobs.prepare(other, bytes)]);
    assert.deepEqual([(await rowsOf(one)).length, (await rowsOf(other)).length], [1, 1]);
    assert.deepEqual(await read(other, digest), bytes);
  });

  test('update `used_at` at most once an hour when they are stored again', async () => {
    const projectId = newUuid();
    const bytes = Buffer.from('touched');
    await store(projectId, bytes);
    const isRecent = async () => ((await rowsOf(projectId))[0]?.usedAt.getTime() ?? 0) > Date.now() - 60_000;
    await setUsedAt(projectId, '30 minutes');
    await store(projectId, bytes);
    assert.equal(await isRecent(), false);
    await setUsedAt(projectId, '2 hours');
    await store(projectId, bytes);
    assert.equal(await isRecent(), true);
  });

  test('keep their first object when the same bytes are stored again', async () => {
    const projectId = newUuid();
    const bytes = randomBytes(MAX_ROW_BYTES + 1);
    const digest = await store(projectId, bytes);
    const first = (await rowsOf(projectId))[0]?.object;
    await store(projectId, bytes);
    assert.equal((await rowsOf(projectId))[0]?.object, first);
    assert.deepEqual(await read(projectId, digest), bytes);
  });

  test('are locked by a transaction that stores the same bytes again, even if the transaction changes no row', async () => {
    const projectId = newUuid();
    const bytes = Buffer.from('locked');
    await store(projectId, bytes);
    const lock = sql`select from blobs where project_id = ${projectId} for update skip locked`;
    await db.database.transaction().execute(async (tx) => {
      await sql`with ${writingBlobs([await blobs.prepare(projectId, bytes)]).sql} select`.execute(tx);
      assert.equal((await lock.execute(db.database)).rows.length, 0);
    });
    assert.equal((await lock.execute(db.database)).rows.length, 1);
  });

  test('do not exist if the transaction that stores them is rolled back', async () => {
    const projectId = newUuid();
    const prepared = await blobs.prepare(projectId, Buffer.from('rolled back'));
    await assert.rejects(
      db.database.transaction().execute(async (tx) => {
        await sql`with ${writingBlobs([prepared]).sql} select 1 / 0`.execute(tx);
      }),
    );
    assert.equal(await read(projectId, prepared.digest), null);
  });

  test('are rejected if their object is so old that the sweeper may delete it', async () => {
    const prepared: PreparedBlob = {
      projectId: newUuid(),
      digest: randomBytes(32),
      size: 1,
      bytes: null,
      object: firstUuidAt(new Date(Date.now() - 13 * 60 * 60_000)),
    };
    assert.throws(() => writingBlobs([prepared]), /too old/);
  });

  test('are stored concurrently in any order without a deadlock', async () => {
    const projectId = newUuid();
    const prepared = await Promise.all(
      Array.from({ length: 20 }, (_, n) => blobs.prepare(projectId, Buffer.from(`blob ${n}`))),
    );
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => write(n % 2 === 0 ? prepared : prepared.toReversed())),
    );
    assert.equal((await rowsOf(projectId)).length, 20);
  });
});
