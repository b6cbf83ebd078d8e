import { fixed } from '../model/fixed.ts';

/** Timings of database connections and statements, in milliseconds unless noted. */
export const TIMINGS = fixed({
  /** A server that does not accept a connection within this time is unavailable. */
  connectTimeoutMs: 3_000,
  /** Connections that were idle for this long are closed. */
  idleConnectionMs: 10_000,
  /** Connection attempts per second of a process, over all pools, while they fail. */
  connectionsPerSecond: 10,
  /** Connection attempts that may be made at once. */
  connectionBurst: 20,
  /** An attempt that would have to wait longer fails instead, so that its caller gets an answer. */
  connectionWaitMs: 1_000,
  /** With several hosts, the next one is tried this long after the previous one, or as soon as that one has failed. */
  nextHostMs: 500,
  /** Pause before a lost LISTEN connection is reopened; doubles with each failure. */
  listenPauseMs: 1_000,
  /** The longest pause before a lost LISTEN connection is reopened. */
  listenMaxPauseMs: 30_000,
  /** No statement takes longer unless something is broken and blocks it. */
  statementTimeoutMs: 30_000,
  /** Timeout for reads on a shared pool. By then the client has usually given up, and others need the connection. */
  readTimeoutMs: 3_000,
  /** A row that is locked for longer is locked by something that is broken, and further statements queue up after ours. */
  lockTimeoutMs: 2_000,
  /** A transaction that is idle for longer belongs to a process that hangs, and others need its locks. */
  idleTransactionTimeoutMs: 10_000,
  /** Longer than the statement timeout: a server that has not answered by then cannot even report a timeout, so the connection is dead. */
  silenceTimeoutMs: 35_000,
  /** Interval of the heartbeats of each process. */
  beatMs: 2_000,
  /** A process without a heartbeat for this long is gone. All others notice its death within ten seconds. */
  expiryMs: 7_000,
  /** The lock timeout of a migration. A statement that waits for a lock blocks all later ones, so this is several times shorter than statement timeouts. */
  migrationLockMs: 500,
  /** The lock timeout of each tenth try: longer than PostgreSQL's `deadlock_timeout`, but shorter than callers wait. */
  longMigrationLockMs: 1_500,
  /** Pause before a migration is retried; grows to ten times this. */
  migrationPauseMs: 200,
  /** The wait after the last process with older code was seen, before its schema is removed. Until then an upgrade can be rolled back. */
  contractAfterMs: 3_600_000,
  /** How often a worker checks whether `contractAfterMs` is over. */
  contractCheckMs: 60_000,
});
