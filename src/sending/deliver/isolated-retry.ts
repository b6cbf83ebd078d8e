/**
 * The isolated retry of a poison row: a row that was in flight at two crashes. The row is attempted alone, so that a third crash affects no
 * other row:
 *
 *   free --a row is claimed--> waiting --no rows are in flight, or PATIENCE_MS later--> alone
 *   alone --its attempt has ended, or PATIENCE_MS later--> free
 *
 * While a row is waiting or alone, no other attempt begins. Rows that are still in flight when the state becomes `alone`, because their
 * servers are slow, do not count a crash.
 */
import type { Logger } from 'pino';
import { within } from '../../concurrency/within.ts';
import { claimPoison, isPoison } from '../../queue/claim.ts';
import type { Attempts } from './attempts.ts';
import type { DestinationWatchOptions } from './destination-watch.ts';
import type { Job } from './job.ts';
import { logRetriedAlone } from './recipient-lines.ts';

const POLL_MS = 5_000;
/** The longest time that a poison row waits for other rows, and that other rows then wait for the poison row. */
const PATIENCE_MS = 3_000;

export interface IsolatedRetryOptions
  extends Pick<
    DestinationWatchOptions,
    'database' | 'lease' | 'queues' | 'recorder' | 'orDoubt' | 'onChange' | 'isStopping'
  > {
  /** Whether an owner polls the queue and calls `wake` when a poison row is due. */
  isPolled: boolean;
  logger: Logger;
  attempts: Attempts;
}

export class IsolatedRetry {
  readonly #options: IsolatedRetryOptions;
  #state: { kind: 'free' } | { kind: 'waiting'; jobs: Job[]; dueMs: number } | { kind: 'alone' } = {
    kind: 'free',
  };
  #nextClaimMs = 0;

  constructor(options: IsolatedRetryOptions) {
    this.#options = options;
  }

  /** Whether no other attempt may begin. */
  get isOccupied(): boolean {
    return this.#state.kind !== 'free';
  }

  /** Called when a poison row may be due. */
  wake(): void {
    this.#nextClaimMs = 0;
  }

  /** Whether it is time to poll for a poison row. */
  isDue(nowMs: number): boolean {
    return this.#state.kind === 'free' && nowMs >= this.#nextClaimMs;
  }

  async claim(): Promise<void> {
    const { database, lease, queues, recorder, isPolled, orDoubt, isStopping } = this.#options;
    // The time is set before the statement, so that a call to `wake` while the statement runs is not lost.
    this.#nextClaimMs = isPolled ? Infinity : performance.now() + POLL_MS;
    const row = await orDoubt(() => claimPoison(database, lease.leaseId));
    if (row === null) return;
    this.#nextClaimMs = 0;
    if (isStopping()) await recorder.release([row]);
    else
      this.#state = {
        kind: 'waiting',
        jobs: queues.jobsOf([row]),
        dueMs: performance.now() + PATIENCE_MS,
      };
  }

  /** Begins the waiting row if its wait is over. */
  async beginWhenDue(): Promise<void> {
    const { logger, recorder, attempts, isStopping, onChange } = this.#options;
    const state = this.#state;
    if (state.kind !== 'waiting') return;
    if (attempts.count > 0 && performance.now() < state.dueMs) return;
    this.#state = { kind: 'alone' };
    // Rows that wait for a slow server would not be the cause of a crash from now on, so no crash is counted for them.
    await recorder.leave(attempts.rows.filter((row) => !isPoison(row)));
    const rows = state.jobs.flatMap((job) => job.rows);
    if (isStopping()) {
      await recorder.release(rows);
      return;
    }
    for (const row of rows) logRetriedAlone(logger, row);
    const begun = await attempts.begin(state.jobs);
    await within(PATIENCE_MS, Promise.all(begun), null);
    this.#state = { kind: 'free' };
    onChange();
  }

  /** Removes the waiting row. */
  drain(): Job[] {
    const jobs = this.#state.kind === 'waiting' ? this.#state.jobs : [];
    if (jobs.length > 0) this.#state = { kind: 'free' };
    return jobs;
  }
}
