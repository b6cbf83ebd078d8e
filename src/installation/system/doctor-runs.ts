/** The checks of doctor, as this machine's set-up is found: one run at a time, however many people look. */
import type { Doctor } from '../../contract/dashboard/system.ts';
import { AnsweringThread } from '../../concurrency/answering-thread.ts';
import * as clock from '../../model/clock.ts';
import { TIMINGS } from './timings.ts';

type Checks = Doctor['checks'];
/** What the thread says. */
export type DoctorResult = { checks: Checks } | { error: string };

export class DoctorRuns implements AsyncDisposable {
  readonly #host: string;
  readonly #databaseUrl: string;
  readonly #thread: AnsweringThread<DoctorResult>;
  #running: Promise<void> | null = null;
  #last: { atMs: number; answer: DoctorResult } | null = null;

  /** @param code of the thread. It looks at the environment of this process. */
  constructor(code: URL, databaseUrl: string, host: string) {
    this.#host = host;
    this.#databaseUrl = databaseUrl;
    this.#thread = new AnsweringThread({ name: 'doctor', code, timings: TIMINGS });
  }

  /** What was found last. Where that is old, a run begins. */
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
      .then((answer) => {
        const error = 'The checks took too long, or their thread ended. The log of this machine may say why.';
        this.#last = { atMs: clock.nowMs(), answer: answer ?? { error } };
      })
      .finally(() => {
        this.#running = null;
      });
  }

  #state(): Doctor {
    const { atMs, answer } = this.#last ?? { atMs: null, answer: { checks: [] } };
    return {
      is_running: this.#running !== null,
      ran_at: atMs === null ? null : new Date(atMs).toISOString(),
      host: this.#host,
      error: 'error' in answer ? answer.error : null,
      checks: 'error' in answer ? [] : answer.checks,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]();
  }
}
