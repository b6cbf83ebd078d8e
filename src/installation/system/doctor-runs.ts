/** Runs the doctor checks for this machine. Only one run is in progress at a time, however many users open the page. */
import type { Doctor } from '../../contract/dashboard/system.ts';
import { AnsweringThread } from '../../concurrency/answering-thread.ts';
import * as clock from '../../model/clock.ts';
import { TIMINGS } from './timings.ts';

type Checks = Doctor['checks'];
/** The result that the thread returns. */
export type DoctorResult = { checks: Checks } | { error: string };

export class DoctorRuns implements AsyncDisposable {
  readonly #host: string;
  readonly #databaseUrl: string;
  readonly #thread: AnsweringThread<DoctorResult>;
  #running: Promise<void> | null = null;
  #last: { atMs: number; result: DoctorResult } | null = null;

  /** @param code the module of the thread, which uses the environment of this process */
  constructor(code: URL, databaseUrl: string, host: string) {
    this.#host = host;
    this.#databaseUrl = databaseUrl;
    this.#thread = new AnsweringThread({ name: 'doctor', code, timings: TIMINGS });
  }

  /** Returns the last results. Starts a run if the last results are outdated. */
  read(): Doctor {
    if (this.#last === null || clock.nowMs() - this.#last.atMs > TIMINGS.doctorKeptMs) this.#begin();
    return this.#state();
  }

  runAgain(): Doctor {
    this.#begin();
    return this.#state();
  }

  #begin(): void {
    this.#running ??= this.#thread
      .ask(async () => [this.#databaseUrl, []])
      .then((result) => {
        const error = 'The checks took too long, or their thread ended. Check the log of this machine.';
        this.#last = { atMs: clock.nowMs(), result: result ?? { error } };
      })
      .finally(() => {
        this.#running = null;
      });
  }

  #state(): Doctor {
    const { atMs, result } = this.#last ?? { atMs: null, result: { checks: [] } };
    return {
      is_running: this.#running !== null,
      ran_at: atMs === null ? null : new Date(atMs).toISOString(),
      host: this.#host,
      error: 'error' in result ? result.error : null,
      checks: 'error' in result ? [] : result.checks,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]();
  }
}
