/** The settings of a PostgreSQL session, which depend on the statements that the session runs. */
import { TIMINGS } from './timings.ts';

export interface SessionOptions {
  /** The statements lock and change no rows, so PostgreSQL may prune partitions while it executes them. */
  readsOnly?: boolean;
  /** The statements find all rows by their keys. Default: true, unless `readsOnly` is set. */
  byKey?: boolean;
  /** Timeout of a statement, in milliseconds. Default: 30,000. */
  statementTimeoutMs?: number;
  /** Timeout of a wait for a lock, in milliseconds. Default: 2,000. */
  lockTimeoutMs?: number;
  /** Neither statements nor lock waits have a timeout. For startup and commands. */
  patient?: boolean;
}

/**
 * PostgreSQL 18 crashes and ends all connections when a statement rechecks a row that another transaction changed (EvalPlanQual) and also
 * prunes partitions during execution, because rechecking and pruning use the same memory. Statements that lock no rows are safe.
 */
const WITHOUT_PRUNING = `select set_config('enable_partition_pruning', 'off', false)
  where current_setting('server_version_num')::int >= 180000`;

/**
 * The queue may be empty when PostgreSQL collects statistics, and have many rows a minute later. Until statistics are collected again,
 * PostgreSQL would scan the whole queue for each statement, even to find one row by its key. To find the first row in the order of another
 * index, PostgreSQL might read all rows of a project by the primary key and sort them, because both indexes begin with the project
 * (docs/decisions/0121-keys-by-project.md). JIT compilation is off because, with sequential scans disabled, a statement without an index
 * gets a cost that would trigger JIT compilation.
 */
const BY_INDEX = 'set enable_seqscan = off; set enable_incremental_sort = off; set jit = off';

export class SessionSettings {
  /**
   * Statements that set every parameter that any `SessionSettings` sets, in one round trip, so that no earlier setting of the session
   * remains.
   */
  readonly sql: string;
  readonly #prefix: string;
  readonly #names = new Map<string, string>();

  constructor(sql: string, prefix: string) {
    this.sql = sql;
    this.#prefix = prefix;
  }

  /**
   * The name under which a statement is prepared. Each text has its own name, so that the server parses and plans a statement once per
   * connection. Other settings give another name, because PostgreSQL does not plan a prepared statement again when settings change.
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
  byKey = !readsOnly,
  patient = false,
  statementTimeoutMs = TIMINGS.statementTimeoutMs,
  lockTimeoutMs = TIMINGS.lockTimeoutMs,
}: SessionOptions): SessionSettings {
  const sql = [
    ...(patient ? [] : [settingTimeouts(statementTimeoutMs, lockTimeoutMs)]),
    readsOnly ? 'set enable_partition_pruning = on' : WITHOUT_PRUNING,
    patient || !byKey ? 'reset enable_seqscan; reset enable_incremental_sort; reset jit' : BY_INDEX,
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
