/** The settings of the embedded PostgreSQL that differ from its defaults, or that must not change, with the reasons. */
export type Settings = Readonly<Record<string, string>>;

/** Measures statements, for the System page. Costs a few hundred kilobytes of memory and microseconds per statement. */
export const STATEMENT_COUNTS: Settings = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.max': '1000',
  'pg_stat_statements.track': 'top',
  // Utility statements are not measured: they only begin and end transactions, or were typed in a console and contain values.
  'pg_stat_statements.track_utility': 'off',
  // The statistics are not saved across restarts, so no file is read or written.
  'pg_stat_statements.save': 'off',
};

export const SETTINGS: Settings = {
  // PostgreSQL listens only on the socket; socket-folder.ts describes who can reach it.
  listen_addresses: '',
  unix_socket_permissions: '0700',
  // Accepted mail must survive a power failure. These values are the defaults and are listed because this promise depends on them.
  fsync: 'on',
  // protection: commits on the disk
  synchronous_commit: 'on',
  full_page_writes: 'on',
  // Without replicas, bulk writes may skip the log, and no process for replication is needed.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  // Half of the default, because the kernel's page cache holds the rest of the data anyway.
  shared_buffers: '64MB',
  // 10 connections for each process, and some connections for other pools, commands and psql.
  max_connections: '120',
  // This value multiplied by the number of connections is the number of locks that fit in memory (a few megabytes). A statement over all
  // partitions of a table locks each partition and each index of the partitions.
  max_locks_per_transaction: '256',
  // Checkpoints are rare, because the first change to a page after a checkpoint writes the whole page to the log. Recovery after a crash
  // reads at most `max_wal_size` of the log.
  checkpoint_timeout: '15min',
  max_wal_size: '2GB',
  // These whole pages compress to a fifth of their size.
  wal_compression: 'pglz',
  // Pages that a process writes from the shared buffers are flushed to disk early. Otherwise up to a gigabyte is left for the next
  // checkpoint, whose sync then delays every commit by 250 to 450 ms.
  backend_flush_after: '512kB',
  // Saves three processes for reading, because most reads are served from memory.
  io_method: 'sync',
  // Statements are short. They run in less time than JIT compilation or the start of parallel workers would take.
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  // Vacuum runs often and with few pauses, because each row of the queue is rewritten several times.
  autovacuum_naptime: '15s',
  autovacuum_vacuum_cost_limit: '2000',
  // A transaction left open by a dead client would block vacuum forever.
  idle_in_transaction_session_timeout: '5min',
  // The log contains only errors.
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] ',
  log_timezone: 'UTC',
};
