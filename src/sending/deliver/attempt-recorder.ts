/**
 * Records the outcomes of attempts, for one lease of a worker. Writes are retried while the database is unreachable, because the message
 * would be sent twice if the remote server's reply were lost.
 */
import type { Logger } from 'pino';
import { type Database, isDatabaseAway } from '../../db/database.ts';
import { GroupCommit } from '../../db/group-commit.ts';
import { writeUntilDone } from '../../db/retry.ts';
import * as clock from '../../model/clock.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { type ClaimedRow, retryClockStartMs } from '../../queue/claim.ts';
import { MAX_CRASHES } from '../../queue/end-lease.ts';
import type { PausedDestinations } from '../../queue/paused-destinations.ts';
import type { Lease } from '../../queue/lease.ts';
import { leaveToLease, release, releaseOthers } from '../../queue/settle.ts';
import { countEvents } from '../events/observe-events.ts';
import { findSuppressed } from '../suppress/suppressing.ts';
import { completeAttempts, type CompletedAttempt } from './complete-attempts.ts';
import { destinationOf } from './destination-of.ts';
import type { ObservedAttempt } from './observed-attempt.ts';
import { type AttemptOf, consequenceOf, failedUnsent, type NotSent } from './outcome-events.ts';
import type { AttemptReply, Outcome, Provider } from './provider.ts';
import { logAbandoned, logUnsent, logWaiting, observeCrash } from './recipient-lines.ts';

const MAX_BATCH = 100;
/** The retry delay after an attempt that failed in our own code. */
const CRASH_RETRY_MS = 30_000;

export interface AttemptRecorderOptions {
  database: Database;
  lease: Lease;
  provider: Provider;
  logger: Logger;
  pausedDestinations: Pick<PausedDestinations, 'retryStartMs'>;
  /** Called after events were written, to wake the code that processes events. */
  onEvents(): void;
  /**
   * Called when the result of a statement was lost, so rows may be claimed under the lease without the worker's knowledge. The worker then
   * retires the lease, which releases all of its rows.
   */
  onDoubt(): void;
}

export class AttemptRecorder {
  readonly #options: AttemptRecorderOptions;
  readonly #complete: GroupCommit<CompletedAttempt, void>;
  #closed = false;

  constructor(options: AttemptRecorderOptions) {
    this.#options = options;
    this.#complete = new GroupCommit({
      flush: (batch) => completeAttempts(options.database, options.lease.leaseId, batch),
      flights: 1,
      maxItems: MAX_BATCH,
    });
  }

  /** Stops retrying writes, because the worker is shutting down. */
  close(): void {
    this.#closed = true;
  }

  /**
   * Resolves when the outcome is written or can no longer be written.
   * @param waitFor the destination for which the row waits, because the whole destination is unavailable; otherwise null
   * @param observed null: no server was contacted, because the destination was known to be unavailable
   */
  async record(
    row: ClaimedRow,
    outcome: Outcome,
    waitFor: AttemptOf['waitFor'],
    observed: ObservedAttempt | null,
  ): Promise<void> {
    if (outcome.outcome === 'abandoned') {
      observed?.ended(outcome, null);
      // If the lease has ended, this release has no effect. If it was only uncertain whether the lease has ended, the release makes the row
      // due again.
      await this.release([row]);
      return;
    }
    const nowMs = clock.nowMs();
    const consequence = consequenceOf(outcome, {
      recipientIndex: row.recipientIndex,
      address: row.address,
      attempt: row.attempts + 1,
      ageMs:
        nowMs -
        this.#options.pausedDestinations.retryStartMs(destinationOf(row.address), retryClockStartMs(row)),
      nowMs,
      jitter: Math.random(),
      isFinal: this.#options.provider.isFinal,
      waitFor,
    });
    const { settlement, events, suppress } = consequence;
    const isOver = settlement.kind === 'done';
    if (observed !== null) observed.ended(outcome, consequence);
    else if (!isOver) logWaiting(this.#options.logger, row, events);
    if (isOver && outcome.outcome === 'transient') logAbandoned(this.#options.logger, row, 'expired');
    const reportsSuccessItself = outcome.outcome === 'accepted' && outcome.reportsSuccessItself === true;
    await this.#persist({ row: { ...row, settlement }, events, suppress, reportsSuccessItself });
  }

  /**
   * Records rows that were not attempted because their destination is unavailable. The rows wait for the destination, except rows whose
   * recipient is on the suppression list: these recipients fail.
   * @param waitFor null: the rows have waited for the maximum time, so they bounce
   */
  async recordNotAttempted(
    rows: readonly ClaimedRow[],
    waitFor: { destination: string; delayMs: number } | null,
    reply: AttemptReply,
  ): Promise<void> {
    const suppressed = await this.#findSuppressed(rows);
    if (suppressed === null) return;
    await Promise.all(
      rows.map((row) =>
        suppressed.has(row) ? this.recordUnsent(row, 'suppressed') : this.recordWaiting(row, waitFor, reply),
      ),
    );
  }

  /** Like `recordNotAttempted`, for a row whose recipient is known not to be on the suppression list. */
  recordWaiting(
    row: ClaimedRow,
    waitFor: { destination: string; delayMs: number } | null,
    reply: AttemptReply,
  ): Promise<void> {
    const outcome: Outcome = { outcome: 'transient', scope: 'host', reply };
    return this.record(
      row,
      outcome,
      waitFor && { destination: waitFor.destination, delayMs: waitFor.delayMs, wasAttempted: false },
      null,
    );
  }

  /** The rows whose recipients are suppressed. Null if the lookup failed; the rows are then already released. */
  async #findSuppressed(rows: readonly ClaimedRow[]): Promise<ReadonlySet<ClaimedRow> | null> {
    try {
      const emails = rows.filter(({ stream }) => stream !== 'mailbox');
      return await findSuppressed(this.#options.database, emails);
    } catch (error) {
      this.report(error, 'read the suppression list');
      await this.release(rows);
      return null;
    }
  }

  /** Records the failure of a recipient for whom no server was contacted. */
  async recordUnsent(
    row: ClaimedRow,
    reason: Exclude<NotSent, 'internal' | 'withdrawn' | 'cancelled'>,
  ): Promise<void> {
    logUnsent(this.#options.logger, row, reason);
    await this.#persist({
      row: { ...row, settlement: { kind: 'done' } },
      events: [failedUnsent(row, reason)],
      suppress: false,
    });
  }

  /**
   * Records an attempt that failed in our own code. After five consecutive attempts of this kind the message is abandoned, as after five
   * crashes of the process.
   */
  async recordCrash(rows: readonly ClaimedRow[], error: unknown): Promise<void> {
    const { logger } = this.#options;
    await Promise.all(
      rows.map((row) => {
        observeCrash(logger, row, error);
        const isAbandoned = row.crashes + 1 >= MAX_CRASHES;
        if (isAbandoned) logAbandoned(logger, row, 'internal');
        return this.#persist({
          row: { ...row, settlement: { kind: 'crashed', delayMs: isAbandoned ? null : CRASH_RETRY_MS } },
          events: isAbandoned ? [failedUnsent(row, 'internal')] : [],
          suppress: false,
        });
      }),
    );
  }

  /**
   * Makes the rows due again as if they had never been claimed. The statement is not retried, because a second try could release the next
   * attempt on a row. If the statement fails, the lease is in doubt, and the end of the lease releases the rows.
   */
  async release(rows: readonly ClaimedRow[]): Promise<void> {
    if (rows.length === 0) return;
    const { database, lease, onDoubt } = this.#options;
    await release(database, lease.leaseId, rows).catch((error: unknown) => {
      this.report(error, 'release');
      onDoubt();
    });
  }

  /** Releases all rows of the lease except `retained`. Called when no more attempts begin under the lease. The call may be repeated. */
  async releaseOthers(retained: readonly ClaimedRow[]): Promise<void> {
    const { database, lease } = this.#options;
    await releaseOthers(database, lease.leaseId, retained).catch(this.reporter('release'));
  }

  /** Keeps the rows claimed until the lease ends. No crash is counted for these rows at the end of the lease. */
  async leave(rows: readonly ClaimedRow[]): Promise<void> {
    const { database, lease } = this.#options;
    await leaveToLease(database, lease.leaseId, rows).catch(this.reporter('leave'));
  }

  /** Returns an error handler for a step that need not be retried, because it is repeated at regular intervals. */
  reporter(step: string): (error: unknown) => void {
    return (error) => this.report(error, step);
  }

  report(error: unknown, step: string): void {
    this.#options.logger[isDatabaseAway(error) ? 'debug' : 'error'](
      { err: error, step },
      LOG_MESSAGES.queueNotWritten,
    );
  }

  /**
   * Retries until the outcome is written, the lease is lost, or the worker shuts down. Writing the same outcome twice has no further
   * effect.
   */
  #persist(completed: CompletedAttempt): Promise<void> {
    return writeUntilDone(
      async () => {
        await this.#complete.add(completed);
        countEvents(completed.events);
        this.#options.onEvents();
      },
      () => !this.#options.lease.lost && !this.#closed,
      this.reporter('complete'),
    );
  }
}
