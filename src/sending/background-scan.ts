/** Work that is made of what is stored, in a worker: one process of all machines does it at a time, and rests after each step, so that nobody notices. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { columnsOf } from '../db/columns.ts';
import { type Database, isDatabaseAway } from '../db/database.ts';

/** Runs a step, and rests after it. */
export type StepPacer = <T>(work: () => Promise<T>) => Promise<T>;

export interface BackgroundScanOptions {
  /** One connection. */
  database: Database;
  /** The name of the advisory lock of the one process that looks. */
  lock: number;
  /** A step is followed by a rest that is so many times as long. */
  rest: number;
  /** Between the end of a look and the next one. */
  lookMs: number;
  /** Gets what went wrong, unless the database is away: it is tried again with the next look. */
  onError(error: unknown): void;
}

const LOCKED = columnsOf({ mine: 'bool' });

export abstract class BackgroundScan implements AsyncDisposable {
  readonly #options: BackgroundScanOptions;
  readonly #stop = new AbortController();
  #nextMs = 0;
  #looking: Promise<void> | null = null;

  constructor(options: BackgroundScanOptions) {
    this.#options = options;
  }

  /** Does what there is to do now. @param session holds the lock */
  protected abstract work(session: Database): Promise<void>;

  /** Begins to look where it is time for it. Never throws. */
  tick(): void {
    if (this.#looking !== null || this.isStopped || performance.now() < this.#nextMs) return;
    const startMs = performance.now();
    this.#looking = this.look()
      .catch((error: unknown) => {
        if (!this.isStopped && !isDatabaseAway(error)) this.#options.onError(error);
      })
      .finally(() => {
        this.#looking = null;
        // With many projects the looks alone take their time.
        this.#nextMs = performance.now() + Math.max(this.#options.lookMs, performance.now() - startMs);
      });
  }

  /** Does what there is to do now, unless another process is at it. */
  async look(): Promise<void> {
    const { database, lock } = this.#options;
    await database.connection().execute(async (session) => {
      const { rows } = await LOCKED.sql`
        select pg_try_advisory_lock(${sql.lit(lock)}) as mine`.execute(session);
      if (rows[0]?.mine !== true) return;
      try {
        await this.work(session);
      } finally {
        // Where the connection is lost, so is the lock.
        await sql`select pg_advisory_unlock(${sql.lit(lock)})`.execute(session).catch(() => {});
      }
    });
  }

  protected get isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** @param untilMs on the clock of `performance.now()` */
  protected goesOn(untilMs: number): boolean {
    return !this.isStopped && performance.now() < untilMs;
  }

  protected readonly pace: StepPacer = async (work) => {
    const startMs = performance.now();
    const result = await work();
    await sleep((performance.now() - startMs) * this.#options.rest, undefined, {
      signal: this.#stop.signal,
    }).catch(() => {});
    return result;
  };

  /** Ends after the step that is under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#looking;
  }
}
