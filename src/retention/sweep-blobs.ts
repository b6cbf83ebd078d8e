/**
 * Deletes blobs, with their objects, if no message, email, submission or upload refers to them. Also deletes objects without a row
 * (docs/decisions/0045-blobs.md).
 */
import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { ObjectName, ObjectStore } from '../blobs/object-store.ts';
import { TIMINGS as BLOB_TIMINGS } from '../blobs/timings.ts';
import { byteaArray, uuidArray } from '../db/arrays.ts';
import { columnsOf, type RowOf } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { OBJECT_LOCK } from '../db/object-lock.ts';
import * as clock from '../model/clock.ts';
import { fixed } from '../model/fixed.ts';
import { newUuid, NIL_UUID, timeOf } from '../model/ids.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import type { DeletionJob } from './deleting.ts';
import { TIMINGS } from './timings.ts';

/** Rows per statement, and objects per page. */
const BATCH = 500;
/**
 * The name of the setting that contains the id of this database. In the object store, an object with this id marks the store as this
 * database's.
 */
export const OBJECTS_OWNER = 'objects_owner';

const KEY = columnsOf({ projectId: 'uuid', digest: 'bytea' });
type Key = RowOf<typeof KEY>;
const SCANNED = columnsOf({ ...KEY.kinds, isGarbage: 'bool' });
const DELETED = columnsOf({
  projectId: 'uuid',
  /** The id of the blob's object; null if the blob has no object. */
  id: 'uuid?',
});
const OBJECT_NAME = columnsOf({ projectId: 'uuid', id: 'uuid' });
const LOCKED = columnsOf({ mine: 'bool' });

/** The timings of the sweeper. */
export const SWEEP_TIMINGS = fixed({
  blobsMs: TIMINGS.blobsMs,
  unusedMs: TIMINGS.unusedMs,
  objectsMs: TIMINGS.objectsMs,
  strayMs: BLOB_TIMINGS.strayMs,
});

const FIRST: Key = { projectId: NIL_UUID, digest: Buffer.alloc(0) };

/** SQL that is true if no row refers to the row `b` of `blobs`. */
const IS_UNUSED = sql`not exists (
  select from message_contents c where c.project_id = b.project_id and c.digest = b.digest
) and not exists (
  select from submissions s where s.project_id = b.project_id and s.digest = b.digest
) and not exists (
  select from email_messages g where g.project_id = b.project_id and g.digest = b.digest
) and not exists (
  select from upload_pieces u where u.project_id = b.project_id and u.digest = b.digest
) and not exists (
  select from route_messages r where r.project_id = b.project_id and r.digest = b.digest
)`;

/** Sweeps all rows and objects again and again. If a pass is interrupted, the next call continues it. */
export class BlobSweeper {
  readonly #objects: ObjectStore;
  readonly #logger: Logger;
  readonly #timings: typeof SWEEP_TIMINGS;
  #nextRowsMs = 0;
  #nextObjectsMs = 0;
  /** The last row of the previous batch. */
  #after = FIRST;
  #names: AsyncIterator<ObjectName> | null = null;

  constructor(objects: ObjectStore, logger: Logger, timings: typeof SWEEP_TIMINGS = SWEEP_TIMINGS) {
    this.#objects = objects;
    this.#logger = logger;
    this.#timings = timings;
  }

  /** @param session a connection without any other transaction */
  async *sweeping(session: Database): DeletionJob {
    const isTimeForRows = performance.now() >= this.#nextRowsMs;
    const isTimeForObjects = performance.now() >= this.#nextObjectsMs;
    if (!isTimeForRows && !isTimeForObjects) return;
    if (!(await this.#isAlone(session))) {
      this.#logger.error(LOG_MESSAGES.objectsShared);
      this.#nextRowsMs = this.#nextObjectsMs = performance.now() + this.#timings.blobsMs;
      return;
    }
    if (isTimeForRows) yield* this.#sweepingRows(session);
    if (isTimeForObjects) yield* this.#sweepingObjects(session);
  }

  /** Marks the object store with the id of this database. @returns false if another database has marked the store too */
  async #isAlone(session: Database): Promise<boolean> {
    const owner = await ownerOf(session);
    const marks: string[] = [];
    for await (const { id } of this.#objects.list(NIL_UUID)) marks.push(id);
    if (!marks.includes(owner) && (await hasObjects(session)))
      await this.#objects.put({ projectId: NIL_UUID, id: owner }, Buffer.alloc(0));
    return marks.every((id) => id === owner);
  }

  async *#sweepingRows(session: Database): DeletionJob {
    for (;;) {
      const usedBefore = new Date(clock.nowMs() - this.#timings.unusedMs);
      const keys = await checkRows(session, this.#after, usedBefore);
      const last = keys.at(-1);
      if (last === undefined) break;
      const garbage = keys.filter(({ isGarbage }) => isGarbage);
      const deleted = await deleteRows(session, garbage, usedBefore);
      if (deleted === null) return;
      for (const { projectId, id } of deleted) if (id !== null) await this.#objects.delete({ projectId, id });
      this.#after = last;
      yield deleted.length;
    }
    this.#after = FIRST;
    this.#nextRowsMs = performance.now() + this.#timings.blobsMs;
  }

  async *#sweepingObjects(session: Database): DeletionJob {
    this.#names ??= this.#objects.list()[Symbol.asyncIterator]();
    try {
      for (;;) {
        const names = await take(this.#names, BATCH);
        if (names.length === 0) break;
        const strays = await withoutRows(
          session,
          names.filter((name) => this.#isOld(name)),
        );
        // Null: a backup is in progress. These names will be listed again in the next pass.
        if (strays === null) break;
        for (const name of strays) await this.#objects.delete(name);
        yield strays.length;
      }
    } catch (error) {
      // A listing that failed cannot be resumed, so start it again next time.
      this.#names = null;
      throw error;
    }
    this.#names = null;
    this.#nextObjectsMs = performance.now() + this.#timings.objectsMs;
  }

  /**
   * Whether an object is so old that no new row can refer to it (`writingBlobs`). False for the marks of databases, which are not blobs.
   */
  #isOld({ projectId, id }: ObjectName): boolean {
    return projectId !== NIL_UUID && clock.nowMs() - timeOf(id).getTime() > this.#timings.strayMs;
  }
}

async function hasObjects(session: Database): Promise<boolean> {
  const { rows } = await sql`
    (select from blobs where object is not null limit 1) union all (select from link_file_parts limit 1)`.execute(
    session,
  );
  return rows.length > 0;
}

async function ownerOf(session: Database): Promise<string> {
  await session
    .insertInto('settings')
    .values({ name: OBJECTS_OWNER, value: newUuid() })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const { value } = await session
    .selectFrom('settings')
    .select('value')
    .where('name', '=', OBJECTS_OWNER)
    .executeTakeFirstOrThrow();
  return value;
}

/** Reads the next rows in key order. The rows are not locked, so garbage is checked again before it is deleted. */
async function checkRows(
  session: Database,
  { projectId, digest }: Key,
  usedBefore: Date,
): Promise<RowOf<typeof SCANNED>[]> {
  const { rows } = await SCANNED.sql`
    select b.project_id, b.digest, b.used_at < ${usedBefore} and ${IS_UNUSED} as is_garbage
    from (
      select project_id, digest, used_at from blobs where (project_id, digest) > (${projectId}::uuid, ${digest}::bytea)
      order by project_id, digest limit ${BATCH}
    ) b
    order by b.project_id, b.digest`.execute(session);
  return rows;
}

/**
 * Deletes unreferenced rows, with two statements in one transaction. The second statement sees all references that were committed before
 * the first statement locked the rows. A single statement would see the database as it was before it waited for the locks, and so could
 * miss a new reference.
 * @returns the ids of the deleted rows' objects; null if a backup is in progress
 */
async function deleteRows(
  session: Database,
  garbage: readonly Key[],
  usedBefore: Date,
): Promise<RowOf<typeof DELETED>[] | null> {
  if (garbage.length === 0) return [];
  return unlessBackupRuns(session, async (tx) => {
    // protection: sweep-lock
    const locked = await lockRows(tx, garbage, usedBefore);
    const { rows } = await DELETED.sql`
      delete from blobs b
      using unnest(${uuidArray(locked.map((key) => key.projectId))}::uuid[],
        ${byteaArray(locked.map((key) => key.digest))}::bytea[]) k (project_id, digest)
      where b.project_id = k.project_id and b.digest = k.digest and ${IS_UNUSED}
      returning b.project_id, b.object as id`.execute(tx);
    return rows;
  });
}

/**
 * Runs `work` unless a backup is in progress. A backup reads the rows first and their objects later, so no object may be deleted in
 * between.
 * @returns null if a backup is in progress
 */
async function unlessBackupRuns<T>(
  session: Database,
  work: (tx: DatabaseTransaction) => Promise<T>,
): Promise<T | null> {
  return session.transaction().execute(async (tx) => {
    const { rows } = await LOCKED.sql`
      select pg_try_advisory_xact_lock(${sql.lit(OBJECT_LOCK)}) as mine`.execute(tx);
    return rows[0]?.mine === true ? work(tx) : null;
  });
}

/** Locks rows. Skips rows that other transactions have locked, and rows that were used recently. */
async function lockRows(tx: Database, keys: readonly Key[], usedBefore: Date): Promise<Key[]> {
  const { rows } = await KEY.sql`
    select b.project_id, b.digest from blobs b
    join unnest(${uuidArray(keys.map(({ projectId }) => projectId))}::uuid[],
      ${byteaArray(keys.map(({ digest }) => digest))}::bytea[]) k (project_id, digest)
      on b.project_id = k.project_id and b.digest = k.digest
    where b.used_at < ${usedBefore}
    for update of b skip locked`.execute(tx);
  return rows;
}

/** Finds the objects to which no row refers. @returns null if a backup is in progress */
async function withoutRows(session: Database, names: readonly ObjectName[]): Promise<ObjectName[] | null> {
  if (names.length === 0) return [];
  return unlessBackupRuns(session, async (tx) => {
    const { rows } = await OBJECT_NAME.sql`
    select k.project_id, k.id
    from unnest(${uuidArray(names.map(({ projectId }) => projectId))}::uuid[],
      ${uuidArray(names.map(({ id }) => id))}::uuid[]) k (project_id, id)
    where not exists (select from blobs b where b.project_id = k.project_id and b.object = k.id)
      and not exists (select from link_file_parts p where p.project_id = k.project_id and p.object = k.id)`.execute(
      tx,
    );
    return rows;
  });
}

async function take<T>(iterator: AsyncIterator<T>, count: number): Promise<T[]> {
  const taken: T[] = [];
  while (taken.length < count) {
    const next = await iterator.next();
    if (next.done === true) break;
    taken.push(next.value);
  }
  return taken;
}
