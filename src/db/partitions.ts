/**
 * The partitions of the tables that grow (docs/decisions/0037-partitions.md). Together the partitions of a table accept every id: the first
 * partition has no lower bound, and the last has no upper bound. The last partition is split before its period begins, so it is empty
 * except for ids from clocks that are ahead. If no process split the last partition in time, it is closed after its greatest id and becomes
 * a normal partition.
 */
import { sql } from 'kysely';
import * as clock from '../model/clock.ts';
import { firstUuidAt, timeOf } from '../model/ids.ts';
import { closeLast, dropChecks } from './close-partition.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import {
  attach,
  changing,
  GROWING,
  type Growing,
  isBusy,
  lastOf,
  listPartitions,
  lockParents,
  makeLike,
  nameOf,
  type Partition,
} from './partition-changes.ts';
import { AHEAD_MS, nextBound } from './partition-spans.ts';

/**
 * Creates the partitions for the coming days. Inserts wait a few milliseconds. If other sessions hold locks for long, or another instance
 * is changing partitions, the call does nothing: the last partition accepts all rows, and the next call creates the missing partitions.
 * @param keepDays retention of emails in days; null: unlimited
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

/** @returns true if the last partition was split; the new last partition may have to be split too */
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
    // Stop if another instance has already split the partition.
    if ((await lastOf(tx, table)).from !== last.from) return;
    const name = nameOf(table, last.from);
    await makeLike(tx, last.name, name);
    // From this statement until the commit, other transactions wait.
    await lockParents(tx, table);
    await sql`alter table ${sql.table(table)} detach partition ${sql.table(last.name)}`.execute(tx);
    await attach(tx, table, { name, from: last.from, until });
    // `attach` scans the rows of the partition, which is empty or nearly empty.
    await attach(tx, table, { name: last.name, from: until, until: null });
  });
}

export interface Drop {
  /**
   * Runs in the transaction that drops the partitions, before other transactions have to wait. Can still read the rows that will be
   * dropped, whose ids are lower than `until`.
   */
  before?: (tx: DatabaseTransaction, until: string) => Promise<void>;
  /** The final check, while other transactions wait. Returns false if rows that must not be dropped were added in the meantime. */
  mayDrop?: (tx: DatabaseTransaction, until: string) => Promise<boolean>;
}

/**
 * Drops the partitions that end at or before the given time, in all tables. Reads and writes wait a few milliseconds.
 * @returns `busy` if other sessions hold locks for long, another instance is changing partitions, or `mayDrop` returned false
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

/** Thrown to roll back the transaction, including the work of `before`. */
class NotNow extends Error {}

/**
 * Gives an empty table the partitions of another installation.
 * @param partitions partitions that together accept every id
 * @throws if the table is not empty, or another instance is changing partitions
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
  if (!isDone) throw new Error(`another instance is changing the partitions of ${table}`);
}

/**
 * The latest partition bound up to `time` that all tables have in common, so that related rows are dropped together. Null if there is none.
 */
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

/**
 * Whether there is nothing to drop: in each table, only the first partition, which exists for ids from clocks that are behind, ends at or
 * before the bound, and this partition is empty.
 */
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
