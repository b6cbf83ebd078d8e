import { fixed } from '../model/fixed.ts';

/** Timings of database connections and statements, in milliseconds unless noted. */
export const TIMINGS = fixed({
  /** A server that does not accept a connection within this time is unavailable. */
  connectTimeoutMs: 3_000,
  /** Connections that were idle for this long are closed. */
  idleConnectionMs: 10_000,
  /** Maximum connection attempts per second of a process, over all pools, while attempts fail. */
  connectionsPerSecond: 10,
  /** Maximum connection attempts at once. */
  connectionBurst: 20,
  /** Maximum wait before a connection attempt. An attempt that would wait longer fails, so that its caller gets an error soon. */
  connectionWaitMs: 1_000,
  /** With several hosts, the next host is tried this long after the previous host, or as soon as the previous host has failed. */
  nextHostMs: 500,
  /** Pause before a lost LISTEN connection is reopened. The pause doubles with each failure. */
  listenPauseMs: 1_000,
  /** The longest pause before a lost LISTEN connection is reopened. */
  listenMaxPauseMs: 30_000,
  /** Only a statement that is blocked by a fault takes longer. */
  statementTimeoutMs: 30_000,
  /** Timeout for reads on a shared pool. After this time the client has usually stopped waiting, and other reads need the connection. */
  readTimeoutMs: 3_000,
  /** A row that stays locked for longer is locked by a broken session, and further statements queue up behind ours. */
  lockTimeoutMs: 2_000,
  /** A transaction that is idle for longer belongs to a process that hangs, and other sessions need its locks. */
  idleTransactionTimeoutMs: 10_000,
  /** Longer than the statement timeout: a server that has not responded by then cannot even report a timeout, so the connection is dead. */
  silenceTimeoutMs: 35_000,
  /** Interval between the heartbeats of each process. */
  beatMs: 2_000,
  /**
   * A part of a shared statement runs alone after this time. A shared statement takes a few milliseconds, and heartbeats have several times
   * this time before a process or a lease counts as dead.
   */
  aloneAfterMs: 1_000,
  /** After a shared statement was late or failed, its parts run alone for this time. */
  apartMs: 30_000,
  /** A process without a heartbeat for this long is dead. All other processes notice its death within ten seconds. */
  expiryMs: 7_000,
  /**
   * The lock timeout of a migration. A statement that waits for a lock blocks all later statements, so the lock timeout is several times
   * shorter than statement timeouts.
   */
  migrationLockMs: 500,
  /** The lock timeout of each tenth try: longer than PostgreSQL's `deadlock_timeout`, but shorter than callers wait. */
  longMigrationLockMs: 1_500,
  /** Pause before a migration is retried. The pause grows to ten times this value. */
  migrationPauseMs: 200,
  /**
   * The time between the last detection of a process with older code and the removal of the schema that only older code needs. During this
   * time an upgrade can be rolled back.
   */
  contractAfterMs: 3_600_000,
  /** How often a worker checks whether `contractAfterMs` has passed. */
  contractCheckMs: 60_000,
});
