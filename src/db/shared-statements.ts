/**
 * Runs short statements of several parts of a process as one statement, because each statement is a commit. A process that does nothing
 * would otherwise commit for its heartbeat, for each of its leases and for each poll.
 *
 * Sharing never makes a part depend on another part: if the shared statement fails, or does not return within `aloneAfterMs`, each part
 * runs alone. So a poll that waits for a locked table does not let a lease expire.
 */
import { type RawBuilder, sql } from 'kysely';
import { within } from '../concurrency/within.ts';
import { columnsOf } from './columns.ts';
import { cte } from './cte.ts';
import type { Database } from './database.ts';
import { TIMINGS } from './timings.ts';

/** A statement that can share. */
export interface StatementPart {
  /** CTEs for `with recursive`. @param name a name that no other part of the statement uses */
  ctes(name: RawBuilder<unknown>): RawBuilder<unknown>;
  /** A JSON value. @param name as in `ctes` */
  value(name: RawBuilder<unknown>): RawBuilder<unknown>;
  /**
   * The kind of table that `ctes` write. Default: none. A statement evaluates reads first, so that a slow read does not lengthen the time for
   * which written rows are locked: the part that runs alone meanwhile writes the same rows. A commit to a logged table waits for the disk, and
   * writes to unlogged tables must not wait for it, so the two never share.
   */
  writes?: 'logged' | 'unlogged';
}

export interface PartResult<Value> {
  value: Value;
  /** When the statement was sent and when its response arrived, on the clock of `performance.now()`. */
  sentAtMs: number;
  receivedAtMs: number;
}

interface Waiting {
  part: StatementPart;
  /** The end of the part's patience, on the clock of `performance.now()`. */
  untilMs: number;
  resolve(result: PartResult<unknown> | Promise<PartResult<unknown>>): void;
}

export class SharedStatements {
  readonly #database: Database;
  readonly #aloneAfterMs: number;
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database, timings: Pick<typeof TIMINGS, 'aloneAfterMs'> = TIMINGS) {
    this.#database = database;
    this.#aloneAfterMs = timings.aloneAfterMs;
  }

  /**
   * @param patienceMs how long the part waits for other parts. 0: the statement is sent at once, with the parts that are waiting
   * @throws database errors of this part only
   */
  run<Value>(part: StatementPart, patienceMs: number): Promise<PartResult<Value>> {
    const { promise, resolve } = Promise.withResolvers<PartResult<unknown>>();
    this.#waiting.push({ part, untilMs: performance.now() + patienceMs, resolve });
    if (patienceMs === 0) this.flush();
    else this.#schedule();
    return promise as Promise<PartResult<Value>>;
  }

  /** Sends the parts that are waiting, except writes to logged tables that can wait for the next statement. */
  flush(): void {
    const nowMs = performance.now();
    const waiting = this.#waiting;
    this.#waiting = [];
    const isUnlogged = waiting.some(({ part }) => part.writes === 'unlogged');
    const together: Waiting[] = [];
    const apart: Waiting[] = [];
    for (const each of waiting) {
      if (!isUnlogged || each.part.writes !== 'logged') together.push(each);
      else if (each.untilMs > nowMs) this.#waiting.push(each);
      else apart.push(each);
    }
    for (const group of [together, apart]) if (group.length > 0) void this.#send(group);
    this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const untilMs = Math.min(...this.#waiting.map((each) => each.untilMs));
    if (untilMs < Infinity)
      this.#timer = setTimeout(() => this.flush(), Math.max(untilMs - performance.now(), 0));
  }

  async #send(waiting: readonly Waiting[]): Promise<void> {
    const together =
      waiting.length === 1
        ? null
        : await within(
            this.#aloneAfterMs,
            this.#execute(waiting.map(({ part }) => part)).catch(() => null),
            null,
          );
    for (const [at, { part, resolve }] of waiting.entries())
      resolve(together?.[at] ?? this.#execute([part]).then(([result]) => result as PartResult<unknown>));
  }

  /** @returns the results in the order of `parts` */
  async #execute(parts: readonly StatementPart[]): Promise<PartResult<unknown>[]> {
    const named = parts.map((part, at) => ({ part, name: sql.raw(`part${at}`), column: `part${at}` }));
    const { reads = [], writes = [] } = Object.groupBy(named, ({ part }) =>
      part.writes === undefined ? 'reads' : 'writes',
    );
    const values = [...reads, ...writes].map(({ part, name }) => sql`${part.value(name)} as ${name}`);
    const columns = columnsOf(Object.fromEntries(named.map(({ column }) => [column, 'json?' as const])));
    // Even a read may write to the log, when it tidies a page, and a commit with unlogged writes would then wait for the disk.
    const mayWait = !parts.some((part) => part.writes === 'unlogged');
    const asynchronous = cte(
      'asynchronous',
      sql`select set_config('synchronous_commit', 'off', true) as is_set`,
    );
    return this.#database.connection().execute(async (connection) => {
      const sentAtMs = performance.now();
      const { rows } = await columns.sql`
        with recursive ${sql.join([
          ...(mayWait ? [] : [asynchronous.sql]),
          ...named.map(({ part, name }) => part.ctes(name)),
        ])}
        select ${sql.join(values)} ${mayWait ? sql`` : sql`from ${asynchronous.name} where is_set is not null`}`.execute(
        connection,
      );
      const receivedAtMs = performance.now();
      return named.map(({ column }) => ({ value: rows[0]?.[column], sentAtMs, receivedAtMs }));
    });
  }
}
