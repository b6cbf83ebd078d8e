/** What a session of PostgreSQL is set to, by what its statements may do. */
import { TIMINGS } from './timings.ts';

export interface SessionOptions {
  /** No statement locks or changes rows: then PostgreSQL may leave out partitions while it runs. */
  readsOnly?: boolean;
  /** A statement that takes longer is ended. Default 30,000. */
  statementTimeoutMs?: number;
  /** A statement that waits longer for a lock is ended. Default 2,000. */
  lockTimeoutMs?: number;
  /** Statements and waits for locks may take as long as they like: at a start, and for commands. */
  patient?: boolean;
}

/**
 * PostgreSQL 18 crashes, with all of its connections, where a statement that finds a row changed by another one looks at it again
 * (EvalPlanQual) and somewhere else leaves out partitions while it runs: both use the same memory. Statements that lock nothing are safe.
 */
const WITHOUT_PRUNING = `select set_config('enable_partition_pruning', 'off', false)
  where current_setting('server_version_num')::int >= 180000`;

/**
 * A queue is empty when PostgreSQL counts its rows, and long a minute later. Until it counts again it would read all of it for each statement,
 * also for those that look for a row by its key. And it would read all that a project has by the primary key and sort it, to find the one row that
 * another index has first: both begin with the project (docs/decisions/0121-keys-by-project.md). The compiler of expressions would come with each
 * statement that has no index.
 */
const BY_INDEX = 'set enable_seqscan = off; set enable_incremental_sort = off; set jit = off';

export class SessionSettings {
  /** Sets all that any settings set, in one round trip: nothing is left of the settings that a session had before. */
  readonly sql: string;
  readonly #prefix: string;
  readonly #names = new Map<string, string>();

  constructor(sql: string, prefix: string) {
    this.sql = sql;
    this.#prefix = prefix;
  }

  /**
   * Names each statement after its text, so that the server parses and plans it once a connection. A plan stays as it was made, so a
   * statement has another name under other settings.
   */
  nameOf(text: string): string {
    let name = this.#names.get(text);
    if (name === undefined) {
      name = `${this.#prefix}${this.#names.size}`;
      this.#names.set(text, name);
    }
    return name;
  }
}

const known = new Map<string, SessionSettings>();

/** @returns the same object for equal settings */
export function sessionSettings({
  readsOnly = false,
  patient = false,
  statementTimeoutMs = TIMINGS.statementTimeoutMs,
  lockTimeoutMs = TIMINGS.lockTimeoutMs,
}: SessionOptions): SessionSettings {
  const sql = [
    ...(patient ? [] : [settingTimeouts(statementTimeoutMs, lockTimeoutMs)]),
    readsOnly ? 'set enable_partition_pruning = on' : WITHOUT_PRUNING,
    readsOnly || patient ? 'reset enable_seqscan; reset enable_incremental_sort; reset jit' : BY_INDEX,
  ].join('; ');
  let settings = known.get(sql);
  if (settings === undefined) {
    settings = new SessionSettings(sql, `s${known.size}_`);
    known.set(sql, settings);
  }
  return settings;
}

function settingTimeouts(statementTimeoutMs: number, lockTimeoutMs: number): string {
  return Object.entries({
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: TIMINGS.idleTransactionTimeoutMs,
  })
    .map(([name, ms]) => `set ${name} = ${ms}`)
    .join('; ');
}
