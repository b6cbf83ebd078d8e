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
import type { Database } from './database.ts';
import { TIMINGS } from './timings.ts';

/** A statement that can share. */
export interface StatementPart {
  /** CTEs for `with recursive`. @param name a name that no other part of the statement uses */
  ctes(name: RawBuilder<unknown>): RawBuilder<unknown>;
  /** A JSON value. @param name as in `ctes` */
  value(name: RawBuilder<unknown>): RawBuilder<unknown>;
  /**
   * Whether `ctes` write. A shared statement evaluates reads first, so that a slow read does not lengthen the time for which written rows
   * are locked: the part that runs alone meanwhile writes the same rows.
   */
  writes?: boolean;
}

export interface PartResult<Value> {
  value: Value;
  /** When the statement was sent and when its response arrived, on the clock of `performance.now()`. */
  sentAtMs: number;
  receivedAtMs: number;
}

interface Waiting {
  part: StatementPart;
  resolve(result: PartResult<unknown> | Promise<PartResult<unknown>>): void;
}

export class SharedStatements {
  readonly #database: Database;
  readonly #aloneAfterMs: number;
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  #departsAtMs = Infinity;

  constructor(database: Database, timings: Pick<typeof TIMINGS, 'aloneAfterMs'> = TIMINGS) {
    this.#database = database;
    this.#aloneAfterMs = timings.aloneAfterMs;
  }

  /**
   * @param patienceMs how long the part waits for other parts. 0: the statement is sent at once, with all parts that are waiting
   * @throws database errors of this part only
   */
  run<Value>(part: StatementPart, patienceMs: number): Promise<PartResult<Value>> {
    const { promise, resolve } = Promise.withResolvers<PartResult<unknown>>();
    this.#waiting.push({ part, resolve });
    const departsAtMs = performance.now() + patienceMs;
    if (patienceMs === 0) this.flush();
    else if (departsAtMs < this.#departsAtMs) {
      clearTimeout(this.#timer);
      this.#departsAtMs = departsAtMs;
      this.#timer = setTimeout(() => this.flush(), patienceMs);
    }
    return promise as Promise<PartResult<Value>>;
  }

  /** Sends the parts that are waiting. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#departsAtMs = Infinity;
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length > 0) void this.#send(waiting);
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
    const inOrder = named.toSorted(
      (one, other) => Number(one.part.writes ?? false) - Number(other.part.writes ?? false),
    );
    const columns = columnsOf(Object.fromEntries(named.map(({ column }) => [column, 'json?' as const])));
    return this.#database.connection().execute(async (connection) => {
      const sentAtMs = performance.now();
      const { rows } = await columns.sql`
        with recursive ${sql.join(named.map(({ part, name }) => part.ctes(name)))}
        select ${sql.join(inOrder.map(({ part, name }) => sql`${part.value(name)} as ${name}`))}`.execute(
        connection,
      );
      const receivedAtMs = performance.now();
      return named.map(({ column }) => ({ value: rows[0]?.[column], sentAtMs, receivedAtMs }));
    });
  }
}
