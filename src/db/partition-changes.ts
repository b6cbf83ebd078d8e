/** The shared parts of changes to partitions: their lock and their statements. */
import { sql } from 'kysely';
import { timeOf } from '../model/ids.ts';
import { columnsOf, type RowOf } from './columns.ts';
import { type Database, type DatabaseTransaction, sqlState } from './database.ts';
import { TIMINGS } from './timings.ts';

/**
 * The tables that grow. `key` is the column with the id whose time determines the partition. Dropping partitions locks the tables in this
 * order, emails first.
 */
export const GROWING = [
  { table: 'emails', key: 'id' },
  { table: 'email_contents', key: 'email_id' },
  { table: 'email_tags', key: 'email_id' },
  { table: 'email_recipients', key: 'email_id' },
  { table: 'events', key: 'email_id' },
  { table: 'deliveries', key: 'id' },
  { table: 'sandbox_messages', key: 'email_id' },
] as const;

export type Growing = (typeof GROWING)[number];

/** Advisory lock for changing partitions, across all machines. */
export const LOCK = 7_340_023;
/** SQLSTATEs of a lock timeout, a deadlock, and a row that violates a bound because it was inserted at the last moment. */
const BUSY = new Set(['55P03', '40P01', '23514']);
/** Check constraint on a partition that is about to be closed: the id of every row is within the bounds of the partition. */
export const CHECK = 'is_of_range';

const PARTITION = columnsOf({ name: 'text', bounds: 'text' });
export const LOCKED = columnsOf({ isOurs: 'bool' });
const STORAGE = columnsOf({ options: 'text?', unsampled: 'text[]' });

/** The part of a table with ids at or after `from` (null: unbounded) and before `until` (null: unbounded). */
export interface Partition {
  name: string;
  from: string | null;
  until: string | null;
}

/** The partitions of a table, in the order of their ids. */
export async function listPartitions(database: Database, table: string = 'emails'): Promise<Partition[]> {
  const { rows } = await PARTITION.sql`
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = ${table}::regclass`.execute(
    database,
  );
  return inTheirOrder(rows);
}

/** @param partitions with bounds as PostgreSQL prints them */
export function inTheirOrder(partitions: readonly RowOf<typeof PARTITION>[]): Partition[] {
  return partitions
    .map(({ name, bounds }) => {
      const [, from = null, until = null] =
        /FROM \((?:MINVALUE|'(.*)')\) TO \((?:MAXVALUE|'(.*)')\)/.exec(bounds) ?? [];
      return { name, from, until };
    })
    .toSorted((a, b) => ((a.from ?? '') < (b.from ?? '') ? -1 : 1));
}

export async function lastOf(
  database: Database,
  table: Growing['table'],
): Promise<Partition & { from: string }> {
  const last = (await listPartitions(database, table)).at(-1);
  if (last === undefined || last.from === null || last.until !== null)
    throw new Error(`${table} has no last partition`);
  return { ...last, from: last.from };
}

/** Runs a transaction that changes partitions, under the lock for partition changes. @returns false if another instance has the lock */
export function changing(
  database: Database,
  work: (tx: DatabaseTransaction) => Promise<void>,
): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    const { rows } = await LOCKED.sql`
      select pg_try_advisory_xact_lock(${sql.lit(LOCK)}) as is_ours`.execute(tx);
    if (rows[0]?.isOurs !== true) return false;
    await sql`set local lock_timeout = ${sql.lit(TIMINGS.migrationLockMs)}`.execute(tx);
    await work(tx);
    return true;
  });
}

/** Blocks all other use of the tables until the commit. */
export async function lockParents(tx: DatabaseTransaction, ...tables: Growing['table'][]): Promise<void> {
  await sql`lock table only ${sql.join(
    tables.map((table) => sql.table(table)),
    sql`, only `,
  )} in access exclusive mode`.execute(tx);
}

export async function attach(
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

/** Creates a table with the columns, storage settings and vacuum settings of another table. */
export async function makeLike(tx: DatabaseTransaction, like: string, name: string): Promise<void> {
  await sql`create table ${sql.table(name)} (like ${sql.table(like)} including all)`.execute(tx);
  await dropCheck(tx, name);
  const { rows } = await STORAGE.sql`
    select array_to_string(reloptions, ', ') as options,
           array(select attname::text from pg_attribute where attrelid = c.oid and attnum > 0 and attstattarget = 0 and not attisdropped) as unsampled
    from pg_class c where c.oid = ${like}::regclass`.execute(tx);
  for (const { options, unsampled } of rows) {
    if (options !== null) await sql`alter table ${sql.table(name)} set (${sql.raw(options)})`.execute(tx);
    for (const column of unsampled)
      await sql`alter table ${sql.table(name)} alter column ${sql.ref(column)} set statistics 0`.execute(tx);
  }
}

/** The name of a partition, which contains its first day. */
export function nameOf(table: Growing['table'], from: string): string {
  return `${table}_${timeOf(from).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

export function isBusy(error: unknown): boolean {
  return BUSY.has(sqlState(error) ?? '');
}

export async function dropCheck(tx: DatabaseTransaction, name: string): Promise<void> {
  await sql`alter table if exists ${sql.table(name)} drop constraint if exists ${sql.ref(CHECK)}`.execute(tx);
}
