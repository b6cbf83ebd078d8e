import { fixed } from '../model/fixed.ts';

/** How long a statement waits, in milliseconds. */
export const TIMINGS = fixed({
  /** A server that does not answer a connection within this is away. */
  connectTimeoutMs: 3_000,
  /** A connection that no statement used for so long is closed. */
  idleConnectionMs: 10_000,
  /** How many attempts to connect a process makes per second, over all of its pools, while they fail. */
  connectionsPerSecond: 10,
  /** How many of them it may make at once. */
  connectionBurst: 20,
  /** An attempt that would have to wait for longer fails instead: its caller gets an answer. */
  connectionWaitMs: 1_000,
  /** When several hosts are configured, the next one is tried this long after the one before, or as soon as that one has failed. */
  nextHostMs: 500,
  /** Before a lost connection for notices is opened again; doubled with each failure. */
  listenPauseMs: 1_000,
  /** The longest of these pauses. */
  listenMaxPauseMs: 30_000,
  /** No statement of ours takes longer; one that does is stuck behind something that is broken. */
  statementTimeoutMs: 30_000,
  /** Where many take turns at reading, what takes longer is given up, with its statement: whoever asked has gone, and others want the connection. */
  readTimeoutMs: 3_000,
  /** A row that is locked for longer is locked by something that is broken, and others wait behind us. */
  lockTimeoutMs: 2_000,
  /** A transaction on which nothing is said for longer is that of a process that stands still: others want its locks. */
  idleTransactionTimeoutMs: 10_000,
  /**
   * A server that has not answered by now does not even tell of its own time-out: the connection is dead. Longer than
   * the time-out of a statement.
   */
  silenceTimeoutMs: 35_000,
  /** How often each process shows that it is there. */
  beatMs: 2_000,
  /** A process that has not done so for this long is gone: within ten seconds of its death all others know. */
  goneMs: 7_000,
  /** What waits for a lock holds up all that come after it: less than the caller of a statement waits, several times over. */
  migrationLockMs: 500,
  /** Each tenth time: longer than the `deadlock_timeout` of PostgreSQL, and still less than callers wait. */
  longMigrationLockMs: 1_500,
  /** Before a migration is tried again; ten times as long in the end. */
  migrationPauseMs: 200,
  /** What older code needs is there for so long after the last process of it was seen, so that it may be gone back to. */
  contractAfterMs: 3_600_000,
  /** How often a worker looks whether that is over. */
  contractLookMs: 60_000,
});
