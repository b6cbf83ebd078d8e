/**
 * A background job of a worker that derives data from stored rows. Across all machines, only one process runs a given job at a time. The
 * job rests after each step, so that it does not slow down other work.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { columnsOf } from '../db/columns.ts';
import { type Database, isDatabaseAway } from '../db/database.ts';

/** Runs one step of a job, then rests. */
export type StepPacer = <T>(work: () => Promise<T>) => Promise<T>;

export interface BackgroundScanOptions {
  /** A pool with one connection. */
  database: Database;
  /** The number of the advisory lock that the running process holds. */
  lock: number;
  /** The length of the rest after a step, as a multiple of the step's duration. */
  rest: number;
  /** The minimum pause between two passes, in milliseconds. */
  scanMs: number;
  /**
   * How long passes run every `scanMs` after a wake, and then the pause between passes without known work, in milliseconds. A pass takes a
   * commit for each of its steps, even if nothing is to be done. A pass that has failed or is incomplete leaves known work.
   */
  idleMs: number;
  /** Called with errors, except when the database is unreachable. After any error the next pass retries. */
  onError(error: unknown): void;
}

const LOCKED = columnsOf({ mine: 'bool' });

export abstract class BackgroundScan implements AsyncDisposable {
  readonly #options: BackgroundScanOptions;
  readonly #stop = new AbortController();
  #nextMs = 0;
  #nextIdleMs = 0;
  #busyUntilMs = 0;
  #scanning: Promise<void> | null = null;

  constructor(options: BackgroundScanOptions) {
    this.#options = options;
  }

  /**
   * Does the work that is due.
   * @param session the connection that holds the advisory lock
   * @returns false if the time of the pass ended before the work did
   */
  protected abstract work(session: Database): Promise<boolean>;

  /** Called when rows may have been stored that the job derives data from. Costs next to nothing. */
  wake(): void {
    this.#busyUntilMs = performance.now() + this.#options.idleMs;
  }

  /** Starts a pass if one is due. Never throws. @param hasWork false: as far as a poll shows, nothing is to be done */
  tick(hasWork = true): void {
    const startMs = performance.now();
    if (this.#scanning !== null || this.isStopped || startMs < this.#nextMs) return;
    if (!hasWork && startMs >= this.#busyUntilMs && startMs < this.#nextIdleMs) return;
    let isComplete = false;
    this.#scanning = this.scan()
      .then((result) => {
        isComplete = result;
      })
      .catch((error: unknown) => {
        if (!this.isStopped && !isDatabaseAway(error)) this.#options.onError(error);
      })
      .finally(() => {
        this.#scanning = null;
        // With many projects, even a pass without work is slow, so the pause is at least as long as the pass.
        const endMs = performance.now();
        this.#nextMs = endMs + Math.max(this.#options.scanMs, endMs - startMs);
        this.#nextIdleMs = isComplete
          ? endMs + Math.max(this.#options.idleMs, endMs - startMs)
          : this.#nextMs;
      });
  }

  /** Runs one pass. @returns false if the pass is incomplete, or did not run because another process holds the lock */
  async scan(): Promise<boolean> {
    const { database, lock } = this.#options;
    return database.connection().execute(async (session) => {
      const { rows } = await LOCKED.sql`
        select pg_try_advisory_lock(${sql.lit(lock)}) as mine`.execute(session);
      if (rows[0]?.mine !== true) return false;
      try {
        return await this.work(session);
      } finally {
        // If the connection was lost, PostgreSQL has already released the lock.
        await sql`select pg_advisory_unlock(${sql.lit(lock)})`.execute(session).catch(() => {});
      }
    });
  }

  protected get isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Rests for a time, or until the job is stopped. */
  protected async rest(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stop.signal }).catch(() => {});
  }

  /** @param untilMs the deadline on the clock of `performance.now()` */
  protected mayContinue(untilMs: number): boolean {
    return !this.isStopped && performance.now() < untilMs;
  }

  protected readonly pace: StepPacer = async (work) => {
    const startMs = performance.now();
    const result = await work();
    await this.rest((performance.now() - startMs) * this.#options.rest);
    return result;
  };

  /** Stops after the current step. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#scanning;
  }
}
