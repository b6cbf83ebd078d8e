/** Figures about PostgreSQL itself. */
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import {
  databaseBlocks,
  databaseConnections,
  databaseMaxConnections,
  databaseSize,
  databaseTransactions,
  databaseUp,
  deadlocks,
  deadRows,
  oldestTransaction,
  temporaryBytes,
  transactionIdAge,
} from '../observe/instance-instruments.ts';
import type { Source } from './figures.ts';

export const serverSource: Source = {
  async read(database: Database): Promise<void> {
    await readTotals(database);
    await readConnections(database);
    await readDeadRows(database);
    databaseUp.set({}, 1);
  },
  withdraw(): void {
    for (const figure of [
      databaseSize,
      databaseConnections,
      databaseMaxConnections,
      oldestTransaction,
      transactionIdAge,
      deadRows,
      databaseTransactions,
      databaseBlocks,
      temporaryBytes,
      deadlocks,
    ])
      figure.withdraw();
    databaseUp.set({}, 0);
  },
};

interface Totals {
  size: number;
  maxConnections: number;
  idAge: number;
  commits: number;
  rollbacks: number;
  fromCache: number;
  fromDisk: number;
  temporary: number;
  deadlocks: number;
}

async function readTotals(database: Database): Promise<void> {
  const { rows } = await sql<Totals>`
    select
      pg_database_size(d.oid)::float8 as size,
      current_setting('max_connections')::float8 as max_connections,
      age(d.datfrozenxid)::float8 as id_age,
      s.xact_commit::float8 as commits,
      s.xact_rollback::float8 as rollbacks,
      s.blks_hit::float8 as from_cache,
      s.blks_read::float8 as from_disk,
      s.temp_bytes::float8 as temporary,
      s.deadlocks::float8 as deadlocks
    from pg_database d join pg_stat_database s on s.datid = d.oid
    where d.datname = current_database()`.execute(database);
  const totals = rows[0] as Totals;
  databaseSize.set({}, totals.size);
  databaseMaxConnections.set({}, totals.maxConnections);
  transactionIdAge.set({}, totals.idAge);
  databaseTransactions.set({ end: 'commit' }, totals.commits);
  databaseTransactions.set({ end: 'rollback' }, totals.rollbacks);
  databaseBlocks.set({ source: 'cache' }, totals.fromCache);
  databaseBlocks.set({ source: 'disk' }, totals.fromDisk);
  temporaryBytes.set({}, totals.temporary);
  deadlocks.set({}, totals.deadlocks);
}

interface Connections {
  active: number;
  idle: number;
  idleInTransaction: number;
  other: number;
  oldest: number;
}

/** PostgreSQL hides the state of other roles, unless this role may read all statistics. */
async function readConnections(database: Database): Promise<void> {
  const { rows } = await sql<Connections>`
    select
      count(*) filter (where state = 'active')::float8 as active,
      count(*) filter (where state = 'idle')::float8 as idle,
      count(*) filter (where state like 'idle in transaction%')::float8 as idle_in_transaction,
      count(*) filter (
        where state is null or (state not in ('active', 'idle') and state not like 'idle in transaction%')
      )::float8 as other,
      coalesce(extract(epoch from now() - least(min(xact_start), now())), 0)::float8 as oldest
    from pg_stat_activity
    where datid is not null and coalesce(backend_type, 'client backend') = 'client backend'`.execute(
    database,
  );
  const { active, idle, idleInTransaction, other, oldest } = rows[0] as Connections;
  databaseConnections.set({ state: 'active' }, active);
  databaseConnections.set({ state: 'idle' }, idle);
  databaseConnections.set({ state: 'idle_in_transaction' }, idleInTransaction);
  databaseConnections.set({ state: 'other' }, other);
  oldestTransaction.set({}, oldest);
}

async function readDeadRows(database: Database): Promise<void> {
  const { rows } = await sql<{ name: string; dead: number }>`
    select relname as name, n_dead_tup::float8 as dead from pg_stat_user_tables
    where relid in ('recipients'::regclass, 'emails'::regclass, 'webhook_deliveries'::regclass)`.execute(
    database,
  );
  for (const { name, dead } of rows) deadRows.set({ table: name }, dead);
}
