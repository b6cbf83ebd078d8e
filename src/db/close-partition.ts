/**
 * Closes the last partition of a table if no process split the partition before its period began. By then, the partition contains rows and
 * can no longer be split in the usual way, which requires an empty partition. The closed partition ends at a bound after the greatest id in
 * all growing tables, and a new last partition begins there.
 */
import { sql } from 'kysely';
import * as clock from '../model/clock.ts';
import { firstUuidAt, timeOf } from '../model/ids.ts';
import { columnsOf } from './columns.ts';
import type { Database } from './database.ts';
import {
  attach,
  changing,
  CHECK,
  dropCheck,
  GROWING,
  type Growing,
  isBusy,
  lastOf,
  LOCK,
  LOCKED,
  lockParents,
  makeLike,
  nameOf,
} from './partition-changes.ts';
import { AHEAD_MS, nextBound } from './partition-spans.ts';

const GREATEST = columnsOf({ id: 'uuid' });
const TABLE = columnsOf({ name: 'text' });

/**
 * Takes the advisory lock for partition changes before it reads the partitions, and holds the lock until it returns. Without the lock,
 * another instance could split the last partition in the meantime. The check constraint would then be on a new last partition and reject
 * every insert.
 * @returns false if another instance is changing partitions
 * @throws an error for which `isBusy` is true if other sessions hold locks for long
 */
export function closeLast(database: Database, growing: Growing, keepDays: number | null): Promise<boolean> {
  return database.connection().execute(async (session) => {
    const { rows } = await LOCKED.sql`
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
  // All tables get the same bound, so that their partitions can be dropped together.
  let greatest = last.from;
  for (const each of GROWING) {
    const { name } = await lastOf(session, each.table);
    const { rows } = await GREATEST.sql`
      select ${sql.ref(each.key)} as id from ${sql.table(name)} order by 1 desc limit 1`.execute(session);
    for (const { id } of rows) if (id > greatest) greatest = id;
  }
  const latestMs = Math.max(timeOf(greatest).getTime(), clock.nowMs() + AHEAD_MS);
  const until = firstUuidAt(nextBound(new Date(latestMs), keepDays));
  // The check constraint makes attaching fast: a partition with a valid check constraint is attached without a scan of its rows. Other
  // transactions wait while the partition is attached.
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
    // After the partition's period, the check would reject inserts. If the check cannot be dropped now, the next call to `dropChecks` drops
    // it.
    if (!isClosed) await changing(session, (tx) => dropCheck(tx, last.name)).catch(() => {});
  }
  return isClosed;
}

/** Drops check constraints that an interrupted `closeLast` left behind. */
export async function dropChecks(database: Database): Promise<void> {
  const { rows } = await TABLE.sql`
    select c.relname as name from pg_constraint k join pg_class c on c.oid = k.conrelid
    where k.conname = ${CHECK} and c.relnamespace = current_schema()::regnamespace`.execute(database);
  for (const { name } of rows) {
    try {
      // `changing` does nothing while another instance changes partitions, because that instance may need the check.
      await changing(database, (tx) => dropCheck(tx, name));
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
  }
}
