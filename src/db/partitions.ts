/**
 * The partitions of the tables that grow (docs/decisions/0037-partitions.md). Together they always take every id: the first one begins
 * before all time, the last one never ends. The last one is split before its time comes, so that it is empty but for the ids of clocks
 * that are ahead; when nobody was there to split it in time, it is closed behind its greatest id and becomes one of the others.
 */
import { sql } from 'kysely';
import * as clock from '../model/clock.ts';
import { firstUuidAt, timeOf } from '../model/ids.ts';
import { type Database, type DatabaseTransaction, sqlState } from './database.ts';
import { nextBound } from './partition-spans.ts';
import { TIMINGS } from './timings.ts';

/** Each with the column whose time divides it. Emails are first: who drops them takes their locks in this order. */
const GROWING = [
  { table: 'emails', key: 'id' },
  { table: 'email_contents', key: 'email_id' },
  { table: 'email_tags', key: 'email_id' },
  { table: 'email_recipients', key: 'email_id' },
  { table: 'events', key: 'email_id' },
  { table: 'deliveries', key: 'id' },
  { table: 'sandbox_messages', key: 'email_id' },
] as const;

type Growing = (typeof GROWING)[number];

/** The advisory lock of whoever changes partitions, over all machines. */
const LOCK = 7_340_023;
/** The partition of a time is there so long before. */
const AHEAD_MS = 2 * 86_400_000;
/** A lock was not to be had in time, PostgreSQL broke off one of two that waited for each other, or a row came at the last moment. */
const BUSY = new Set(['55P03', '40P01', '23514']);
/** On a partition that is about to be closed: all of its rows are before its end. */
const CHECK = 'is_of_range';

/** The part of a table for ids from `from` (null: all before) to before `until` (null: all after). */
export interface Partition {
  name: string;
  from: string | null;
  until: string | null;
}

/** The partitions of a table, in their order. */
export async function listPartitions(database: Database, table: string = 'emails'): Promise<Partition[]> {
  const { rows } = await sql<{ name: string; bounds: string }>`
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = ${table}::regclass`.execute(
    database,
  );
  return inTheirOrder(rows);
}

/** @param partitions with their bounds as PostgreSQL says them */
export function inTheirOrder(partitions: readonly { name: string; bounds: string }[]): Partition[] {
  return partitions
    .map(({ name, bounds }) => {
      const [, from = null, until = null] =
        /FROM \((?:MINVALUE|'(.*)')\) TO \((?:MAXVALUE|'(.*)')\)/.exec(bounds) ?? [];
      return { name, from, until };
    })
    .toSorted((a, b) => ((a.from ?? '') < (b.from ?? '') ? -1 : 1));
}

/**
 * Makes the partitions of the days to come. Those who accept meanwhile wait for some milliseconds. When others hold locks for long, or
 * another instance is at it, nothing is done: the last partition takes what comes, and the next call makes up for it.
 * @param keepDays for how long emails are kept; null: for ever
 */
export async function ensurePartitions(database: Database, keepDays: number | null): Promise<void> {
  await dropChecks(database);
  for (const growing of GROWING) {
    try {
      while (await splitLast(database, growing, keepDays));
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
  }
}

/** @returns whether it was split, so that it may have to be split again */
async function splitLast(database: Database, growing: Growing, keepDays: number | null): Promise<boolean> {
  const { table, key } = growing;
  const nowMs = clock.nowMs();
  const last = await lastOf(database, table);
  const fromMs = timeOf(last.from).getTime();
  if (fromMs > nowMs + AHEAD_MS) return false;
  const bound = nextBound(new Date(Math.max(fromMs, nowMs)), keepDays);
  const until = firstUuidAt(bound);
  const { rows } = await sql`
    select from ${sql.table(last.name)} where ${sql.ref(key)} < ${until} limit 1`.execute(database);
  if (rows.length > 0) return closeLast(database, growing, keepDays);
  return changing(database, async (tx) => {
    // Another instance was faster.
    if ((await lastOf(tx, table)).from !== last.from) return;
    const name = nameOf(table, last.from);
    await makeLike(tx, last.name, name);
    // From here on others wait.
    await lockParents(tx, table);
    await sql`alter table ${sql.table(table)} detach partition ${sql.table(last.name)}`.execute(tx);
    await attach(tx, table, { name, from: last.from, until });
    // Reads it, and it is empty or almost.
    await attach(tx, table, { name: last.name, from: until, until: null });
  });
}

/**
 * The last partition has rows of its time: it ends behind all of its rows, and a new one begins there. Nobody else changes partitions
 * from the look at them to the end: with the check on a partition that has become the last one meanwhile, nothing could be inserted.
 */
function closeLast(database: Database, growing: Growing, keepDays: number | null): Promise<boolean> {
  return database.connection().execute(async (session) => {
    const { rows } = await sql<{ isOurs: boolean }>`
      select pg_try_advisory_lock(${sql.lit(LOCK)}) as is_ours`.execute(session);
    if (rows[0]?.isOurs !== true) return false;
    try {
      return await closeLastOf(session, growing, keepDays);
    } finally {
      await sql`select pg_advisory_unlock(${sql.lit(LOCK)})`.execute(session);
    }
  });
}

async function closeLastOf(session: Database, growing: Growing, keepDays: number | null): Promise<boolean> {
  const { table, key } = growing;
  const last = await lastOf(session, table);
  // The same for all tables, so that they can be dropped together.
  let greatest = last.from;
  for (const each of GROWING) {
    const { name } = await lastOf(session, each.table);
    const { rows } = await sql<{ id: string }>`
      select ${sql.ref(each.key)} as id from ${sql.table(name)} order by 1 desc limit 1`.execute(session);
    for (const { id } of rows) if (id > greatest) greatest = id;
  }
  const latestMs = Math.max(timeOf(greatest).getTime(), clock.nowMs() + AHEAD_MS);
  const until = firstUuidAt(nextBound(new Date(latestMs), keepDays));
  // Told beforehand, so that nobody waits while the rows are looked at.
  await changing(session, async (tx) => {
    await dropCheck(tx, last.name);
    await sql`
      alter table ${sql.table(last.name)} add constraint ${sql.ref(CHECK)}
      check (${sql.ref(key)} >= ${sql.lit(last.from)} and ${sql.ref(key)} < ${sql.lit(until)}) not valid`.execute(
      tx,
    );
  });
  let isClosed = false;
  try {
    await changing(session, async (tx) => {
      await sql`set local statement_timeout = 0`.execute(tx);
      await sql`alter table ${sql.table(last.name)} validate constraint ${sql.ref(CHECK)}`.execute(tx);
    });
    isClosed = await changing(session, async (tx) => {
      const name = nameOf(table, last.from);
      await lockParents(tx, table);
      await sql`alter table ${sql.table(table)} detach partition ${sql.table(last.name)}`.execute(tx);
      await sql`alter table ${sql.table(last.name)} rename to ${sql.ref(name)}`.execute(tx);
      await attach(tx, table, { name, from: last.from, until });
      await dropCheck(tx, name);
      await makeLike(tx, name, last.name);
      await attach(tx, table, { name: last.name, from: until, until: null });
    });
  } finally {
    // What comes when its time is over must still find a place. When this fails too, the next call makes up for it.
    if (!isClosed) await changing(session, (tx) => dropCheck(tx, last.name)).catch(() => {});
  }
  return isClosed;
}

/** Drops the checks that were left where the closing of a partition was broken off. */
async function dropChecks(database: Database): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_constraint k join pg_class c on c.oid = k.conrelid
    where k.conname = ${CHECK} and c.relnamespace = current_schema()::regnamespace`.execute(database);
  for (const { name } of rows) {
    try {
      // Not while another instance needs it.
      await changing(database, (tx) => dropCheck(tx, name));
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
  }
}

async function dropCheck(tx: DatabaseTransaction, name: string): Promise<void> {
  await sql`alter table if exists ${sql.table(name)} drop constraint if exists ${sql.ref(CHECK)}`.execute(tx);
}

export interface Drop {
  /**
   * In the same transaction, while nobody waits yet: for what has to be known of the rows that go, which are those with lower
   * ids than `until`.
   */
  before?: (tx: DatabaseTransaction, until: string) => Promise<void>;
  /** The last question, while everybody waits: whether nothing has come to these rows since. */
  mayDrop?: (tx: DatabaseTransaction, until: string) => Promise<boolean>;
}

/**
 * Drops the partitions of all tables that end at a time or before it. Those who read or write wait for some milliseconds.
 * @returns `busy` when others hold locks for long, another instance changes partitions, or they may not be dropped now
 */
export async function dropPartitions(
  database: Database,
  time: Date,
  { before = async () => {}, mayDrop = async () => true }: Drop = {},
): Promise<'dropped' | 'nothing' | 'busy'> {
  let result: 'dropped' | 'nothing' | 'busy' = 'busy';
  try {
    await changing(database, async (tx) => {
      const tables: { table: Growing['table']; partitions: Partition[] }[] = [];
      for (const { table } of GROWING) tables.push({ table, partitions: await listPartitions(tx, table) });
      const until = commonBound(tables, time);
      if (until === null || (await isEmptyUntil(tx, tables, until))) {
        result = 'nothing';
        return;
      }
      await before(tx, until);
      await lockParents(tx, ...GROWING.map(({ table }) => table));
      if (!(await mayDrop(tx, until))) throw new NotNow();
      for (const { table, partitions } of tables) {
        for (const { name } of partitions.filter((partition) => endsBy(partition, until)))
          await sql`drop table ${sql.table(name)}`.execute(tx);
        const first = { name: `${table}_first`, from: null, until };
        await makeLike(tx, partitions.at(-1)?.name ?? table, first.name);
        await attach(tx, table, first);
      }
      result = 'dropped';
    });
  } catch (error) {
    if (!isBusy(error) && !(error instanceof NotNow)) throw error;
    return 'busy';
  }
  return result;
}

/** Takes back what `before` did. */
class NotNow extends Error {}

/**
 * Divides an empty table as it was divided elsewhere.
 * @param partitions which take every id together
 * @throws when it is not empty, or another instance changes partitions
 */
export async function divideAs(
  database: Database,
  table: string,
  partitions: readonly Partition[],
): Promise<void> {
  const isDone = await changing(database, async (tx) => {
    await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(tx);
    const { rows } = await sql`select from ${sql.table(table)} limit 1`.execute(tx);
    if (rows.length > 0) throw new Error(`${table} is not empty`);
    const before = await listPartitions(tx, table);
    const like = before.at(-1)?.name ?? table;
    for (const { name } of before)
      await sql`alter table ${sql.table(table)} detach partition ${sql.table(name)}`.execute(tx);
    for (const partition of partitions) {
      if (!before.some(({ name }) => name === partition.name)) await makeLike(tx, like, partition.name);
      await attach(tx, table, partition);
    }
    for (const { name } of before)
      if (!partitions.some((partition) => partition.name === name))
        await sql`drop table ${sql.table(name)}`.execute(tx);
  });
  if (!isDone) throw new Error(`the partitions of ${table} are just being changed`);
}

/** The last bound by the time that all tables have: what belongs together goes together. Null: there is none. */
function commonBound(tables: readonly { partitions: readonly Partition[] }[], time: Date): string | null {
  const bounds = tables.map(({ partitions }) => new Set(partitions.map(({ until }) => until)));
  const common = [...(bounds[0] ?? [])].filter(
    (bound) => bound !== null && timeOf(bound) <= time && bounds.every((set) => set.has(bound)),
  );
  return common.toSorted().at(-1) ?? null;
}

function endsBy({ until }: Partition, bound: string): boolean {
  return until !== null && until <= bound;
}

/** Whether there is only the first partition of each table, without a row: for the ids of clocks that are behind. */
async function isEmptyUntil(
  tx: DatabaseTransaction,
  tables: readonly { partitions: readonly Partition[] }[],
  until: string,
): Promise<boolean> {
  for (const { partitions } of tables) {
    const [first, second] = partitions.filter((partition) => endsBy(partition, until));
    if (second !== undefined) return false;
    const { rows } = await sql`select from ${sql.table(first?.name ?? '')} limit 1`.execute(tx);
    if (rows.length > 0) return false;
  }
  return true;
}

async function lastOf(database: Database, table: Growing['table']): Promise<Partition & { from: string }> {
  const last = (await listPartitions(database, table)).at(-1);
  if (last === undefined || last.from === null || last.until !== null)
    throw new Error(`${table} has no last partition`);
  return { ...last, from: last.from };
}

/** A transaction that nobody changes partitions beside. @returns false when somebody does just now */
function changing(database: Database, work: (tx: DatabaseTransaction) => Promise<void>): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    const { rows } = await sql<{ isOurs: boolean }>`
      select pg_try_advisory_xact_lock(${sql.lit(LOCK)}) as is_ours`.execute(tx);
    if (rows[0]?.isOurs !== true) return false;
    await sql`set local lock_timeout = ${sql.lit(TIMINGS.migrationLockMs)}`.execute(tx);
    await work(tx);
    return true;
  });
}

/** From here to the commit whoever uses the tables waits. */
async function lockParents(tx: DatabaseTransaction, ...tables: Growing['table'][]): Promise<void> {
  await sql`lock table only ${sql.join(
    tables.map((table) => sql.table(table)),
    sql`, only `,
  )} in access exclusive mode`.execute(tx);
}

async function attach(
  tx: DatabaseTransaction,
  table: string,
  { name, from, until }: Partition,
): Promise<void> {
  const lowest = from === null ? sql`minvalue` : sql.lit(from);
  const highest = until === null ? sql`maxvalue` : sql.lit(until);
  await sql`
    alter table ${sql.table(table)} attach partition ${sql.table(name)} for values from (${lowest}) to (${highest})`.execute(
    tx,
  );
}

/** A table like another one, also in how it is stored and vacuumed. */
async function makeLike(tx: DatabaseTransaction, like: string, name: string): Promise<void> {
  await sql`create table ${sql.table(name)} (like ${sql.table(like)} including all)`.execute(tx);
  await dropCheck(tx, name);
  const { rows } = await sql<{ options: string | null; unsampled: string[] }>`
    select array_to_string(reloptions, ', ') as options,
           array(select attname::text from pg_attribute where attrelid = c.oid and attnum > 0 and attstattarget = 0) as unsampled
    from pg_class c where c.oid = ${like}::regclass`.execute(tx);
  for (const { options, unsampled } of rows) {
    if (options !== null) await sql`alter table ${sql.table(name)} set (${sql.raw(options)})`.execute(tx);
    for (const column of unsampled)
      await sql`alter table ${sql.table(name)} alter column ${sql.ref(column)} set statistics 0`.execute(tx);
  }
}

/** By its first day. */
function nameOf(table: Growing['table'], from: string): string {
  return `${table}_${timeOf(from).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

function isBusy(error: unknown): boolean {
  return BUSY.has(sqlState(error) ?? '');
}
