import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { deliverBytes, referTo } from '../../test/support/blobs.ts';
import { sealedDatabase, type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { newRoute } from '../../test/support/routes.ts';
import { newSubmission } from '../../test/support/submissions.ts';
import { Blobs, MAX_ROW_BYTES } from '../blobs/blobs.ts';
import { writingBlobs } from '../blobs/prepared-blob.ts';
import { ObjectFiles } from '../blobs/object-files.ts';
import type { Database } from '../db/database.ts';
import { firstUuidAt, newUuid, NIL_UUID } from '../model/ids.ts';
import { insertSubmissions } from '../sending/submit/insert-submissions.ts';
import { BlobSweeper, OBJECTS_OWNER, SWEEP_TIMINGS } from './sweep-blobs.ts';

const folder = mkdtempSync(join(tmpdir(), 'posthorn-sweep-'));
const LARGE = MAX_ROW_BYTES + 1;
let db: TestDatabase;
let objects: ObjectFiles;
let blobs: Blobs;
let projectId: string;
let timings: { -readonly [Name in keyof typeof SWEEP_TIMINGS]: number };
before(async () => {
  db = await testDatabase();
});
beforeEach(async () => {
  // `unusedMs` is negative, so that new rows count as unused even if the clock of this process is behind the database's.
  timings = { ...SWEEP_TIMINGS, blobsMs: 0, unusedMs: -60_000, objectsMs: 0 };
  objects = new ObjectFiles(join(folder, newUuid()));
  blobs = new Blobs(db.database, objects);
  projectId = newUuid();
  await sql`truncate blobs, message_contents`.execute(db.database);
});
after(async () => {
  await db[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

async function sweep(sweeper = newSweeper(), database: Database = db.database): Promise<number> {
  let deleted = 0;
  for await (const count of sweeper.sweeping(database)) deleted += count;
  return deleted;
}

const newSweeper = (logger = pino({ enabled: false })) => new BlobSweeper(objects, logger, timings);

async function listObjects(): Promise<string[]> {
  const ids: string[] = [];
  for await (const name of objects.list()) if (name.projectId !== NIL_UUID) ids.push(name.id);
  return ids;
}

const exists = async (digest: Buffer) => (await blobs.open(projectId, digest)) !== null;

describe('the sweeper', () => {
  test('the sweeper keeps the bytes of mail that a mailbox is sending', async () => {
    const blob = await blobs.prepare(projectId, randomBytes(LARGE));
    const submission = newSubmission({ projectId, blob });
    await insertSubmissions(db.database, [submission]);
    assert.equal(await sweep(), 0);
    assert.equal(await exists(blob.digest), true);
    await sql`delete from submissions where id = ${submission.submissionId}`.execute(db.database);
    assert.equal(await sweep(), 1);
    assert.deepEqual(await listObjects(), []);
  });

  test('the bytes of a message of a route stay, even if an earlier version that knows no routes sweeps', async () => {
    await using sealed = await sealedDatabase();
    const { database, sealer } = sealed;
    const { projectId: owner, routeId } = await newRoute(database, sealer);
    const bytes = await new Blobs(database, objects).prepare(owner, randomBytes(10));
    await sql`with ${writingBlobs([bytes]).sql} select`.execute(database);
    await sql`
      insert into route_messages (project_id, route_id, id, dedupe, digest, octets, reverse_path, recipients, client_address, helo, author,
        subject, authentication, spam, status, next_attempt_at, expires_at)
      values (${owner}, ${routeId}, ${newUuid()}, '', ${bytes.digest}, 10, '', '{}', '', '', '', '', '{}', '{}', 'stored', now(), now())`.execute(
      database,
    );
    const sweepOfEarlierVersion = async () =>
      (await sql`delete from blobs returning digest`.execute(database)).rows;
    assert.deepEqual(await sweepOfEarlierVersion(), []);
    assert.equal(await sweep(newSweeper(), database), 0);
    await sql`delete from route_messages`.execute(database);
    assert.equal((await sweepOfEarlierVersion()).length, 1);
  });

  test('the sweeper deletes only unreferenced blobs, and their objects', async () => {
    const kept: Buffer[] = [];
    const unreferenced: Buffer[] = [];
    for (const size of [10, LARGE]) {
      kept.push(await deliverBytes(db.database, blobs, projectId, randomBytes(size)));
      const digest = await deliverBytes(db.database, blobs, projectId, randomBytes(size));
      unreferenced.push(digest);
      await sql`delete from message_contents where digest = ${digest}`.execute(db.database);
    }
    assert.equal((await listObjects()).length, 2);
    assert.equal(await sweep(), 2);
    for (const digest of kept) assert.equal(await exists(digest), true);
    for (const digest of unreferenced) assert.equal(await exists(digest), false);
    assert.equal((await listObjects()).length, 1);
    assert.equal(await sweep(), 0);
  });

  test('a blob is deleted even if another project refers to a blob with the same digest', async () => {
    const bytes = randomBytes(10);
    const digest = await deliverBytes(db.database, blobs, newUuid(), bytes);
    await sql`with ${writingBlobs([await blobs.prepare(projectId, bytes)]).sql} select`.execute(db.database);
    assert.equal(await sweep(), 1);
    assert.equal(await exists(digest), false);
  });

  test('the sweeper keeps an unreferenced blob for an hour after its last use', async () => {
    timings.unusedMs = 60 * 60_000;
    await sql`with ${writingBlobs([await blobs.prepare(projectId, randomBytes(10))]).sql} select`.execute(
      db.database,
    );
    assert.equal(await sweep(), 0);
    await sql`update blobs set used_at = now() - interval '61 minutes'`.execute(db.database);
    assert.equal(await sweep(), 1);
  });

  test('the sweeper keeps blobs that a transaction in progress uses, or that committed rows refer to', async () => {
    const bytes = randomBytes(10);
    await sql`with ${writingBlobs([await blobs.prepare(projectId, bytes)]).sql} select`.execute(db.database);
    const digest = await db.database.transaction().execute(async (tx) => {
      const blob = await blobs.prepare(projectId, bytes);
      await sql`with ${writingBlobs([blob]).sql} select`.execute(tx);
      assert.equal(await sweep(), 0);
      await referTo(tx, blob);
      return blob.digest;
    });
    assert.equal(await sweep(), 0);
    assert.deepEqual(await (await blobs.open(projectId, digest))?.read(), bytes);
  });

  test('the sweeper deletes objects without a row after a day', async () => {
    const old = { projectId, id: firstUuidAt(new Date(Date.now() - 25 * 60 * 60_000)) };
    await objects.put(old, randomBytes(10));
    const { object } = await blobs.prepare(projectId, randomBytes(LARGE));
    assert.equal(await sweep(), 1);
    assert.deepEqual(await listObjects(), [object]);
  });

  test('a sweeper does not scan rows and objects again before their interval has passed', async () => {
    Object.assign(timings, { blobsMs: 60_000, objectsMs: 60_000 });
    const sweeper = newSweeper();
    await sweep(sweeper);
    await sql`with ${writingBlobs([await blobs.prepare(projectId, randomBytes(10))]).sql} select`.execute(
      db.database,
    );
    assert.equal(await sweep(sweeper), 0);
    assert.equal(await sweep(), 1);
  });

  test('the sweeper continues where it was interrupted', async () => {
    const many = await Promise.all(
      Array.from({ length: 1_200 }, () => blobs.prepare(projectId, randomBytes(10))),
    );
    await sql`with ${writingBlobs(many).sql} select`.execute(db.database);
    timings.blobsMs = 60_000;
    const sweeper = newSweeper();
    let batches = 0;
    for (let deleted = 0; deleted < many.length; batches++) {
      const { value } = await sweeper.sweeping(db.database).next();
      assert.ok(typeof value === 'number' && value > 0);
      deleted += value;
    }
    assert.equal(batches, 3);
    await sweep(sweeper);
    assert.equal(await sweep(sweeper), 0);
  });

  test('the sweeper deletes nothing and logs an error if another database uses the same object store', async () => {
    await sql`with ${writingBlobs([await blobs.prepare(projectId, randomBytes(LARGE))]).sql} select`.execute(
      db.database,
    );
    const mark = { projectId: NIL_UUID, id: newUuid() };
    await objects.put(mark, Buffer.alloc(0));
    const lines: string[] = [];
    const logger = pino({}, { write: (line) => lines.push(line) });
    assert.equal(await sweep(newSweeper(logger)), 0);
    assert.match(lines.join(''), /objects belong to several databases/);
    await objects.delete(mark);
    assert.equal(await sweep(), 1);
    const { value } = await db.database
      .selectFrom('settings')
      .select('value')
      .where('name', '=', OBJECTS_OWNER)
      .executeTakeFirstOrThrow();
    assert.notEqual(await objects.get({ projectId: NIL_UUID, id: value }), null);
  });

  test('the sweeper deletes stray objects once the object store is available again', async () => {
    await sql`with ${writingBlobs([await blobs.prepare(projectId, randomBytes(LARGE))]).sql} select`.execute(
      db.database,
    );
    const away = {
      put: () => Promise.reject(new Error('away')),
      get: () => Promise.reject(new Error('away')),
      delete: () => Promise.reject(new Error('away')),
      list: objects.list.bind(objects),
    };
    await sweep();
    await sql`with ${writingBlobs([await blobs.prepare(projectId, randomBytes(LARGE))]).sql} select`.execute(
      db.database,
    );
    await assert.rejects(sweep(new BlobSweeper(away, pino({ enabled: false }), timings)), /away/);
    assert.equal((await listObjects()).length, 1);
    timings.strayMs = -1;
    await sweep();
    assert.deepEqual(await listObjects(), []);
  });
});
