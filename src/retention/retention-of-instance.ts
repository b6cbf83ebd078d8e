/** Deletes emails older than `POSTHORN_KEEP_DAYS`: whole partitions, with the emails of all projects. */
import { sql } from 'kysely';
import { type ColumnKinds, columnsOf, type ResultColumns, type RowOf } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { listPartitions } from '../db/partition-changes.ts';
import { dropPartitions } from '../db/partitions.ts';
import { firstUuidAt, timeOf } from '../model/ids.ts';
import { unindexBefore } from '../insights/search/segments.ts';
import { countDeleted, type DeletedCount, releaseStorage } from './delete-emails.ts';
import { lockDeleting } from './deleting.ts';
import { TIMINGS } from './timings.ts';

/** The maximum number of pages of a table (256 MiB) that a statement reads, so that it ends within its time limit. */
const PAGES = 32_768;

const TABLE = columnsOf({ name: 'text' });
const OLDEST = columnsOf({ id: 'uuid' });
const SIZE = columnsOf({ pages: 'int4' });

/**
 * Drops partitions that end before a time, up to the first partition with pending work. Meanwhile, other readers and writers have to wait
 * for a few milliseconds.
 * @returns `busy` if other transactions hold locks for too long, or if work was added to a partition
 */
export async function dropOld(database: Database, old: Date): ReturnType<typeof dropPartitions> {
  const work = await firstWork(database, firstUuidAt(old));
  return dropPartitions(database, work === null ? old : timeOf(work), {
    async before(tx, until) {
      await tryLocks(tx);
      await recordDroppedUsage(tx, until);
    },
    mayDrop: async (tx, until) => (await firstWork(tx, until)) === null,
  });
}

/**
 * Takes and releases the lock of each partitioned table. If a backup holds one of these locks, this fails before any partition is read.
 * Also sets the lock timeout for the rest of the transaction.
 */
async function tryLocks(tx: DatabaseTransaction): Promise<void> {
  await sql`set local lock_timeout = ${sql.lit(TIMINGS.dropLockMs)}`.execute(tx);
  const { rows } = await TABLE.sql`
    select relname as name from pg_class
    where relkind = 'p' and not relispartition and relnamespace = current_schema()::regnamespace`.execute(tx);
  for (const { name } of rows) {
    await sql`savepoint trying`.execute(tx);
    await sql`lock table only ${sql.table(name)} in access exclusive mode`.execute(tx);
    await sql`rollback to savepoint trying`.execute(tx);
  }
}

/**
 * Finds the oldest email or delivery that has pending work and an id below `before`. In the queue, this takes one index look-up for each
 * project.
 * @returns null if there is no such email or delivery
 */
async function firstWork(database: Database, before: string): Promise<string | null> {
  const { rows } = await OLDEST.sql`
    with recursive oldest as (
      (select project_id, email_id from queue order by project_id, email_id limit 1)
      union all
      select next.* from oldest cross join lateral (
        select q.project_id, q.email_id from queue q where q.project_id > oldest.project_id
        order by q.project_id, q.email_id limit 1
      ) next
    )
    select id from (
      select email_id as id from oldest where email_id < ${before}
      union all
      select least(id, email_id) from due_deliveries where id < ${before} or email_id < ${before}
      offset 0
    ) work order by id limit 1`.execute(database);
  return rows[0]?.id ?? null;
}

/**
 * Subtracts the bytes of the rows to drop from the metered storage and counts the emails to drop per month. Holds the lock for deletions
 * until the commit.
 */
async function recordDroppedUsage(tx: DatabaseTransaction, until: string): Promise<void> {
  await lockDeleting(tx);
  const bytes = new Map<string, number>();
  const counts = new Map<string, DeletedCount>();
  for await (const row of slicesOf(tx, 'emails', until, OF_EMAILS, EMAILS)) {
    bytes.set(row.projectId, (bytes.get(row.projectId) ?? 0) + row.bytes);
    const key = `${row.projectId} ${row.day}`;
    counts.set(key, { ...row, emails: row.emails + (counts.get(key)?.emails ?? 0) });
  }
  for await (const row of slicesOf(tx, 'email_contents', until, OF_CONTENTS, CONTENTS))
    bytes.set(row.projectId, (bytes.get(row.projectId) ?? 0) + row.bytes);
  const { rows: messages } = await OF_CONTENTS.sql`
    with gone as (delete from email_messages where email_id < ${until} returning project_id, octets)
    select project_id, sum(octets)::float8 as bytes from gone group by project_id`.execute(tx);
  for (const row of messages) bytes.set(row.projectId, (bytes.get(row.projectId) ?? 0) + row.bytes);
  await countDeleted(tx, [...counts.values()]);
  await releaseStorage(tx, bytes);
  await sql`delete from waiting_bodies where email_id < ${until}`.execute(tx);
  await sql`delete from template_uses where email_id < ${until}`.execute(tx);
  await unindexBefore(tx, until);
}

const OF_CONTENTS = columnsOf({ projectId: 'uuid', bytes: 'float8' });
const OF_EMAILS = columnsOf({ ...OF_CONTENTS.kinds, day: 'text', emails: 'int4' });

const EMAILS =
  sql.raw(`project_id, to_char(date_trunc('month', created_at at time zone 'utc'), 'YYYY-MM-DD') as day,
  count(*)::int as emails, sum(octet_length(subject))::float8 as bytes`);
const CONTENTS = sql.raw(`project_id, sum(coalesce(octet_length(html), 0) + coalesce(octet_length(text), 0)
  + coalesce(octet_length(headers::text), 0))::float8 as bytes`);

/** Yields partial sums over the partitions that end at or before `until`. Each statement reads at most `PAGES` pages of a partition. */
async function* slicesOf<Kinds extends ColumnKinds>(
  tx: DatabaseTransaction,
  table: 'emails' | 'email_contents',
  until: string,
  columns: ResultColumns<Kinds>,
  sums: typeof EMAILS,
): AsyncGenerator<RowOf<ResultColumns<Kinds>>> {
  const isOf = table === 'emails' ? sql`group by 1, 2` : sql`group by 1`;
  for (const partition of await listPartitions(tx, table)) {
    if (partition.until === null || partition.until > until) continue;
    const { rows: sizes } = await SIZE.sql`
      select (pg_relation_size(${partition.name}::regclass) / current_setting('block_size')::int)::int as pages`.execute(
      tx,
    );
    for (let page = 0; page < (sizes[0]?.pages ?? 0); page += PAGES) {
      const { rows } = await columns.sql`
        select ${sums} from ${sql.table(partition.name)}
        where ctid >= ${`(${page},0)`}::tid and ctid < ${`(${page + PAGES},0)`}::tid ${isOf}`.execute(tx);
      yield* rows;
    }
  }
}
