/** How the embedded PostgreSQL is set, and why. Whatever is not here is PostgreSQL's default. */
export type Settings = Readonly<Record<string, string>>;

/** Counts what statements take, for the page of operators: some hundred kilobytes, and microseconds a statement. */
export const STATEMENT_COUNTS: Settings = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.max': '1000',
  'pg_stat_statements.track': 'top',
  // The others begin and end transactions, or are of people at a console, with what they typed.
  'pg_stat_statements.track_utility': 'off',
  // Figures of this start: there is no file to read and write.
  'pg_stat_statements.save': 'off',
};

export const SETTINGS: Settings = {
  // The socket alone; see socket-folder.ts for who reaches it.
  listen_addresses: '',
  unix_socket_permissions: '0700',
  // What was accepted survives a power cut. Named because the promise hangs on them.
  fsync: 'on',
  // protection: commits on the disk
  synchronous_commit: 'on',
  full_page_writes: 'on',
  // Nothing replicates from here: bulk writes may skip the log, and no process waits for a replica.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  // Half the fixed memory of the default. The kernel's page cache holds the rest of the data.
  shared_buffers: '64MB',
  // 10 for each process of the roles, a few of their own, commands and people with psql.
  max_connections: '120',
  // Times the connections is how many locks there may be at once: some megabytes. A statement over all partitions of a table
  // locks each of them, and each of their indexes.
  max_locks_per_transaction: '256',
  // After a checkpoint the first change of a page writes the whole page: have few checkpoints. The price is
  // the time to read back at most this much after a crash.
  checkpoint_timeout: '15min',
  max_wal_size: '2GB',
  // What a process writes out of the shared buffers starts on its way to the disk at once. Left to gather, it is a
  // gigabyte by the next checkpoint, whose sync then holds up every commit for 250 to 450 ms.
  backend_flush_after: '512kB',
  // Three processes less; reads here come from memory.
  io_method: 'sync',
  // Statements are short. Compiling them, or starting processes for them, takes longer than running them.
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  // The queue rewrites its rows several times each: look often, and do not doze off in between.
  autovacuum_naptime: '15s',
  autovacuum_vacuum_cost_limit: '2000',
  // A client that died with a transaction open would hold back vacuum for ever.
  idle_in_transaction_session_timeout: '5min',
  // The log is for errors.
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] ',
  log_timezone: 'UTC',
};
