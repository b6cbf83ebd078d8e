/**
 * Runs short statements of several parts of a process as one statement, because each statement is a commit. A process that does nothing
 * would otherwise commit for its heartbeat, for each of its leases and for each poll.
 *
 * Sharing never makes a part depend on another part:
 *
 * - At most one part of a statement writes. A statement locks the rows that it has written until it ends. If it then waited for a row of a
 *   second part, the first part could not write its row in another statement either, and a lease might expire.
 * - If a shared statement fails, each part runs alone. If it does not return within `aloneAfterMs`, the part that writes also runs alone, and
 *   the first result counts. So a poll that waits for a locked table delays a heartbeat by at most this time.
 * - After that, parts run alone and at once for `apartMs`. So heartbeats do not wait for the same lock again, and a slow database does not
 *   run every statement twice.
 */
import { type RawBuilder, sql } from 'kysely';
import { within } from '../concurrency/within.ts';
import { columnsOf } from './columns.ts';
import { cte } from './cte.ts';
import type { Database } from './database.ts';
import { TIMINGS } from './timings.ts';

/**
 * A statement that can share. It may run twice at the same time, and the earlier run may end last, even after the caller has the result of
 * the later run.
 *
 * - A part takes a few milliseconds. It does not wait on purpose, for example for an advisory lock, and has no effects besides its writes:
 *   it sends no notifications and changes no settings.
 * - A part without `writes` locks no rows.
 * - A part with `writes` writes only rows of one owner, and no other part of the process writes these rows. To run it twice or late has the
 *   same result as to run it once: a write that waited for a lock must not undo a newer write.
 */
export interface StatementPart {
  /** CTEs for `with recursive`. @param name a name that no other part of the statement uses */
  ctes(name: RawBuilder<unknown>): RawBuilder<unknown>;
  /** A JSON value. @param name as in `ctes` */
  value(name: RawBuilder<unknown>): RawBuilder<unknown>;
  /**
   * The kind of table that `ctes` write. Default: none. A statement evaluates reads first, so that a slow read does not lengthen the time for
   * which written rows are locked: the part that runs alone meanwhile writes the same rows. A commit to a logged table waits for the disk. A
   * statement that writes to unlogged tables does not wait for it, whatever it shares with.
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

export interface SharedStatementsOptions {
  /**
   * Called if a shared statement failed although each of its parts then succeeded alone. Such an error has no caller: the parts cannot share,
   * or the fault has passed.
   */
  onFault?(error: unknown): void;
  /** Default: `TIMINGS`. */
  timings?: Pick<typeof TIMINGS, 'aloneAfterMs' | 'apartMs'>;
}

export class SharedStatements {
  readonly #database: Database;
  readonly #onFault: (error: unknown) => void;
  readonly #aloneAfterMs: number;
  readonly #apartMs: number;
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** Until this time no parts share, because a shared statement was late or failed. */
  #apartUntilMs = 0;
  readonly #running = new Set<Promise<unknown>>();

  constructor(
    database: Database,
    { onFault = () => {}, timings: { aloneAfterMs, apartMs } = TIMINGS }: SharedStatementsOptions = {},
  ) {
    this.#database = database;
    this.#onFault = onFault;
    this.#aloneAfterMs = aloneAfterMs;
    this.#apartMs = apartMs;
  }

  /**
   * @param patienceMs how long the part waits for other parts. 0: the statement is sent at once, with the parts that are waiting
   * @throws database errors of this part only
   */
  run<Value>(part: StatementPart, patienceMs: number): Promise<PartResult<Value>> {
    const { promise, resolve } = Promise.withResolvers<PartResult<unknown>>();
    const nowMs = performance.now();
    const isPatient = patienceMs > 0 && nowMs >= this.#apartUntilMs;
    this.#waiting.push({ part, untilMs: isPatient ? nowMs + patienceMs : nowMs, resolve });
    if (isPatient) this.#schedule();
    else this.#sendDue(nowMs);
    return promise as Promise<PartResult<Value>>;
  }

  /** Sends all parts that are waiting. */
  flush(): void {
    this.#sendDue(Infinity);
  }

  /** Waits for the statements that are running. @returns false if no statement is running */
  async settled(): Promise<boolean> {
    const running = [...this.#running];
    await Promise.allSettled(running);
    return running.length > 0;
  }

  /**
   * Sends the parts that are waiting. Of the parts that write, only the part whose patience ends first joins. The others wait for the next
   * statement, or have their own statements if their patience ends by `untilMs`.
   */
  #sendDue(untilMs: number): void {
    const { reads = [], writes = [] } = Object.groupBy(this.#waiting, ({ part }) =>
      part.writes === undefined ? 'reads' : 'writes',
    );
    const [first, ...others] = writes.toSorted((one, other) => one.untilMs - other.untilMs);
    const due = others.filter((each) => each.untilMs <= untilMs);
    this.#waiting = others.filter((each) => each.untilMs > untilMs);
    const together = first === undefined ? reads : [first, ...reads];
    for (const group of [together, ...due.map((each) => [each])])
      if (group.length > 0) void this.#send(group);
    this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const untilMs = Math.min(...this.#waiting.map((each) => each.untilMs));
    if (untilMs < Infinity)
      this.#timer = setTimeout(
        () => this.#sendDue(performance.now()),
        Math.max(untilMs - performance.now(), 0),
      );
  }

  /** @param waiting the part that writes, if there is one, comes first, so that it does not wait for a connection behind a read */
  async #send(waiting: readonly Waiting[]): Promise<void> {
    if (waiting.length === 1 || performance.now() < this.#apartUntilMs) {
      for (const { part, resolve } of waiting) resolve(this.#runAlone(part));
      return;
    }
    const together = this.#execute(waiting.map(({ part }) => part));
    const outcome = together.then(
      () => 'done' as const,
      (error: unknown) => ({ error }),
    );
    const inTime = await within<'done' | 'late' | { error: unknown }>(this.#aloneAfterMs, outcome, 'late');
    if (inTime !== 'done') this.#apartUntilMs = performance.now() + this.#apartMs;
    const resultOf = (part: StatementPart, at: number): Promise<PartResult<unknown>> => {
      if (typeof inTime === 'object') return this.#runAlone(part);
      const shared = together.then((all) => all[at] as PartResult<unknown>);
      if (inTime === 'done') return shared;
      // A read that is late is only repeated if it fails: a second run would be as slow, and take another connection.
      if (part.writes === undefined) return shared.catch(() => this.#runAlone(part));
      const alone = this.#runAlone(part);
      return Promise.any([shared, alone]).catch(() => alone);
    };
    const results = waiting.map(({ part, resolve }, at) => {
      const result = resultOf(part, at);
      resolve(result);
      return result;
    });
    const settled = await Promise.allSettled(results);
    // If a part fails alone too, its caller gets the error.
    if (typeof inTime === 'object' && settled.every(({ status }) => status === 'fulfilled'))
      this.#onFault(inTime.error);
  }

  async #runAlone(part: StatementPart): Promise<PartResult<unknown>> {
    const [only] = await this.#execute([part]);
    return only as PartResult<unknown>;
  }

  #execute(parts: readonly StatementPart[]): Promise<PartResult<unknown>[]> {
    const result = this.#query(parts);
    const running: Promise<unknown> = result
      .catch(() => {})
      .finally(() => {
        this.#running.delete(running);
      });
    this.#running.add(running);
    return result;
  }

  /** @returns the results in the order of `parts` */
  async #query(parts: readonly StatementPart[]): Promise<PartResult<unknown>[]> {
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
