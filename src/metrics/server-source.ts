/** Metrics of PostgreSQL itself. */
import { columnsOf, type RowOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { instanceCounter, instanceGauge } from '../observe/define.ts';
import { type FigureSource, withdrawAll } from './figures.ts';

const databaseUp = instanceGauge('posthorn_database_up', 'Whether PostgreSQL responds (1) or not (0).');

const figures = {
  size: instanceGauge('posthorn_database_size_bytes', 'Size of the database on disk.'),
  connections: instanceGauge(
    'posthorn_database_connections',
    'Client connections to the server, to all of its databases.',
    { state: ['active', 'idle', 'idle_in_transaction', 'other'] },
  ),
  maxConnections: instanceGauge('posthorn_database_max_connections', 'Connections that the server allows.'),
  oldestTransaction: instanceGauge(
    'posthorn_database_oldest_transaction_seconds',
    'Age of the oldest open transaction; 0 if none is open.',
  ),
  transactionIdAge: instanceGauge(
    'posthorn_database_transaction_id_age',
    'Transactions since the oldest one that vacuum has yet to freeze; the server stops at two billion.',
  ),
  deadRows: instanceGauge(
    'posthorn_database_dead_rows',
    'Dead rows of a table that vacuum has yet to remove.',
    {
      table: ['queue', 'emails', 'due_deliveries'],
    },
  ),
  transactions: instanceCounter(
    'posthorn_database_transactions_total',
    'Finished transactions of the database.',
    { end: ['commit', 'rollback'] },
  ),
  blocks: instanceCounter('posthorn_database_blocks_total', 'Blocks of 8 KB that were read, by source.', {
    source: ['cache', 'disk'],
  }),
  temporaryBytes: instanceCounter(
    'posthorn_database_temporary_bytes_total',
    'Bytes that queries wrote to temporary files for lack of memory.',
  ),
  deadlocks: instanceCounter(
    'posthorn_database_deadlocks_total',
    'Deadlocks between transactions of the database.',
  ),
};

export const serverSource: FigureSource = {
  async read(database: Database): Promise<void> {
    await readTotals(database);
    await readConnections(database);
    await readDeadRows(database);
    databaseUp.set({}, 1);
  },
  withdraw(): void {
    withdrawAll(figures);
    databaseUp.set({}, 0);
  },
};

const TOTALS = columnsOf({
  size: 'float8',
  maxConnections: 'float8',
  idAge: 'float8',
  commits: 'float8',
  rollbacks: 'float8',
  fromCache: 'float8',
  fromDisk: 'float8',
  temporary: 'float8',
  deadlocks: 'float8',
});

async function readTotals(database: Database): Promise<void> {
  const { rows } = await TOTALS.sql`
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
  const totals = rows[0] as RowOf<typeof TOTALS>;
  figures.size.set({}, totals.size);
  figures.maxConnections.set({}, totals.maxConnections);
  figures.transactionIdAge.set({}, totals.idAge);
  figures.transactions.set({ end: 'commit' }, totals.commits);
  figures.transactions.set({ end: 'rollback' }, totals.rollbacks);
  figures.blocks.set({ source: 'cache' }, totals.fromCache);
  figures.blocks.set({ source: 'disk' }, totals.fromDisk);
  figures.temporaryBytes.set({}, totals.temporary);
  figures.deadlocks.set({}, totals.deadlocks);
}

const CONNECTIONS = columnsOf({
  active: 'float8',
  idle: 'float8',
  idleInTransaction: 'float8',
  other: 'float8',
  oldest: 'float8',
});
const DEAD_ROWS = columnsOf({ name: 'text', dead: 'float8' });

/**
 * Connections of other roles may have no known state: PostgreSQL shows it only to a role that may read all statistics
 * (`pg_read_all_stats`).
 */
async function readConnections(database: Database): Promise<void> {
  const { rows } = await CONNECTIONS.sql`
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
  const { active, idle, idleInTransaction, other, oldest } = rows[0] as RowOf<typeof CONNECTIONS>;
  figures.connections.set({ state: 'active' }, active);
  figures.connections.set({ state: 'idle' }, idle);
  figures.connections.set({ state: 'idle_in_transaction' }, idleInTransaction);
  figures.connections.set({ state: 'other' }, other);
  figures.oldestTransaction.set({}, oldest);
}

async function readDeadRows(database: Database): Promise<void> {
  const { rows } = await DEAD_ROWS.sql`
    select coalesce(i.inhparent, s.relid)::regclass::text as name, sum(s.n_dead_tup)::float8 as dead
    from pg_stat_user_tables s left join pg_inherits i on i.inhrelid = s.relid
    where coalesce(i.inhparent, s.relid) in ('queue'::regclass, 'emails'::regclass, 'due_deliveries'::regclass)
    group by 1`.execute(database);
  for (const { name, dead } of rows) figures.deadRows.set({ table: name }, dead);
}
