/**
 * Writes down how attempts ended, for one lease of a worker. While the database is away it tries again: what the far side
 * said must not be forgotten, or the message would go out twice.
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
/** An attempt that failed in our own code is tried again after this. */
const CRASH_RETRY_MS = 30_000;

export interface AttemptRecorderOptions {
  database: Database;
  lease: Lease;
  provider: Provider;
  logger: Logger;
  holds: Pick<PausedDestinations, 'ageFromMs'>;
  /** Events were written, which others may wait for. */
  onEvents(): void;
  /**
   * The answer to a statement was lost, so the lease may hold rows that nobody works on. Its worker retires the lease, which
   * gives back whatever the lease holds.
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

  /** What comes after this is not written: the worker is leaving. */
  close(): void {
    this.#closed = true;
  }

  /**
   * Resolves when the outcome is written, or can no longer be.
   * @param waitFor set when the destination as a whole could not be used: the row waits for it
   * @param observed null: nobody was asked, because the destination was known to be away
   */
  async record(
    row: ClaimedRow,
    outcome: Outcome,
    waitFor: AttemptOf['waitFor'],
    observed: ObservedAttempt | null,
  ): Promise<void> {
    if (outcome.outcome === 'abandoned') {
      observed?.ended(outcome, null);
      // Where the lease is over this changes nothing; where only its time was in doubt the row is free again.
      await this.release([row]);
      return;
    }
    const nowMs = clock.nowMs();
    const consequence = consequenceOf(outcome, {
      recipientIndex: row.recipientIndex,
      address: row.address,
      attempt: row.attempts + 1,
      ageMs: nowMs - this.#options.holds.ageFromMs(destinationOf(row.address), retryClockStartMs(row)),
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
    const isPassedOn = outcome.outcome === 'accepted' && outcome.isPassedOn === true;
    await this.#persist({ row: { ...row, settlement }, events, suppress, isPassedOn });
  }

  /**
   * Nobody was asked, because the destination is away: the rows wait for it. Those on the suppression list do not.
   * @param waitFor null: they have waited until their days were over
   */
  async recordUntried(
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

  /** The same for a row that is known not to be on the suppression list. */
  recordWaiting(
    row: ClaimedRow,
    waitFor: { destination: string; delayMs: number } | null,
    reply: AttemptReply,
  ): Promise<void> {
    const outcome: Outcome = { outcome: 'transient', scope: 'host', reply };
    return this.record(
      row,
      outcome,
      waitFor && { destination: waitFor.destination, delayMs: waitFor.delayMs, wasTried: false },
      null,
    );
  }

  /** Null: they were given back, because nobody knows. */
  async #findSuppressed(rows: readonly ClaimedRow[]): Promise<ReadonlySet<ClaimedRow> | null> {
    try {
      const emails = rows.filter(({ stream }) => stream !== 'mailbox');
      return await findSuppressed(this.#options.database, emails);
    } catch (error) {
      this.report(error, 'look at the suppression list');
      await this.release(rows);
      return null;
    }
  }

  /** Nobody is contacted, now or later. */
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

  /** An attempt that failed in our own code: the fifth in a row gives the message up, as five crashes do. */
  async recordCrash(rows: readonly ClaimedRow[], error: unknown): Promise<void> {
    const { logger } = this.#options;
    await Promise.all(
      rows.map((row) => {
        observeCrash(logger, row, error);
        const givenUp = row.crashes + 1 >= MAX_CRASHES;
        if (givenUp) logAbandoned(logger, row, 'internal');
        return this.#persist({
          row: { ...row, settlement: { kind: 'crashed', delayMs: givenUp ? null : CRASH_RETRY_MS } },
          events: givenUp ? [failedUnsent(row, 'internal')] : [],
          suppress: false,
        });
      }),
    );
  }

  /**
   * The rows are due again as if they had not been claimed. Tried once: a second try could hit the next attempt on
   * them. When it fails the lease is in doubt, and its end gives them back.
   */
  async release(rows: readonly ClaimedRow[]): Promise<void> {
    if (rows.length === 0) return;
    const { database, lease, onDoubt } = this.#options;
    await release(database, lease.leaseId, rows).catch((error: unknown) => {
      this.report(error, 'release');
      onDoubt();
    });
  }

  /** For a lease that begins nothing more: whatever it holds but for these rows is due again. May be tried again. */
  async releaseOthers(kept: readonly ClaimedRow[]): Promise<void> {
    const { database, lease } = this.#options;
    await releaseOthers(database, lease.leaseId, kept).catch(this.reporter('release'));
  }

  /** The rows stay held until the lease ends, and do not count a crash then. */
  async leave(rows: readonly ClaimedRow[]): Promise<void> {
    const { database, lease } = this.#options;
    await leaveToLease(database, lease.leaseId, rows).catch(this.reporter('leave'));
  }

  /** For a step that failed, and is tried again when its time comes. */
  reporter(step: string): (error: unknown) => void {
    return (error) => this.report(error, step);
  }

  report(error: unknown, step: string): void {
    this.#options.logger[isDatabaseAway(error) ? 'debug' : 'error'](
      { err: error, step },
      LOG_MESSAGES.queueNotWritten,
    );
  }

  /** Until it is done, the lease is gone, or the worker leaves. Written twice by mistake it changes nothing. */
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
