/**
 * Closes and opens destinations, and senders that destinations reject. Each change applies to this worker at once and is written to the
 * database for all workers.
 */
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import {
  claimParked,
  closeDestination,
  forgetDestination,
  openDestination,
} from '../../queue/destinations.ts';
import type { PausedDestinations } from '../../queue/paused-destinations.ts';
import type { Lease } from '../../queue/lease.ts';
import { domainOf, rejoinBacklog } from '../../queue/rejected-senders.ts';
import { FIRST_STREAM } from '../../queue/fair-shares.ts';
import type { AttemptRecorder } from './attempt-recorder.ts';
import type { DestinationAvailability } from './destination-state.ts';
import type { DestinationQueue } from './destination-queue.ts';
import type { DestinationQueues } from './destination-queues.ts';
import type { AttemptReply, TransientOutcome } from './provider.ts';
import { redactReply } from './redact-reply.ts';
import type { RejectedSenders } from './rejected-senders.ts';
import { delayAfterMs } from './retry-schedule.ts';
import { TIMINGS } from './timings.ts';

const EXPIRE_ROWS = 400;
const REJOIN_ROWS = 10_000;

export interface DestinationChangesOptions {
  database: Database;
  lease: Lease;
  queues: DestinationQueues;
  recorder: AttemptRecorder;
  pausedDestinations: Pick<PausedDestinations, 'isPaused' | 'earliestRetryStartMs'>;
  /**
   * Runs a statement that adds rows to the lease or removes rows from it. If the statement fails, the lease is in doubt: the statement may
   * have been committed, so rows that the worker does not know of may be claimed. Rethrows the error of the statement.
   */
  orDoubt<T>(statement: () => Promise<T>): Promise<T>;
  /** Called after queues have changed. */
  onChange(): void;
  /** Whether the worker is stopping, so that it must not claim rows or begin attempts. */
  isStopping(): boolean;
}

export class DestinationChanges {
  readonly #options: DestinationChangesOptions;
  readonly #senders: RejectedSenders;
  readonly #underWay = new Set<Promise<void>>();

  constructor(options: DestinationChangesOptions, senders: RejectedSenders) {
    this.#options = options;
    this.#senders = senders;
  }

  /** Resolves when the background statements have ended. */
  async stop(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /**
   * Opens a destination in this worker at once, and in the database in the background. Rows parked for the destination become its backlog.
   */
  open(queue: DestinationQueue): void {
    const { database, recorder, onChange } = this.#options;
    queue.open();
    queue.expectBacklog();
    this.#goOn(async () => {
      await openDestination(database, queue.destination).catch(recorder.reporter('open a destination'));
      onChange();
    });
  }

  /**
   * Opens a sender whose mail the destination accepts again, in the background.
   * @param name the name of the destination under which mail from the sender is parked
   */
  openSender(name: string): void {
    const { database, recorder } = this.#options;
    this.#senders.delete(name);
    this.#goOn(async () => {
      await openDestination(database, name).catch(recorder.reporter('open a destination'));
      await this.#rejoin(name);
    });
  }

  /** Moves the parked mail from an accepted sender back to the backlog of its domain, in the background. */
  rejoin(name: string): void {
    this.#goOn(() => this.#rejoin(name));
  }

  /** @param mailFromDomain the return path domain of the message whose attempt failed */
  async close(
    destination: DestinationAvailability,
    outcome: TransientOutcome,
    mailFromDomain: string,
  ): Promise<void> {
    const { database, recorder, pausedDestinations, onChange } = this.#options;
    const { state } = destination;
    const known = state.kind === 'probing' ? state.failures : 0;
    const reply = redactReply(outcome.reply, mailFromDomain);
    const delayMs = Math.round(Math.max(delayAfterMs(known + 1, Math.random()), outcome.retryAfterMs ?? 0));
    destination.close(known + 1, delayMs, reply);
    const name = destination.destination;
    const failingMs = await closeDestination(database, name, known, delayMs, reply).catch(
      recorder.reporter('close a destination'),
    );
    // The last attempt at a paused destination was made before the pause, so it does not show whether mail that has waited during the pause
    // can be delivered.
    const isTooLong = typeof failingMs === 'number' && failingMs >= TIMINGS.abandonAfterMs;
    if (isTooLong && !pausedDestinations.isPaused(domainOf(name)))
      void this.#expire(name, reply).catch(recorder.reporter('expire a backlog'));
    onChange();
  }

  #goOn(work: () => Promise<void>): void {
    const promise = work().finally(() => this.#underWay.delete(promise));
    this.#underWay.add(promise);
  }

  async #rejoin(name: string): Promise<void> {
    const { database, queues, recorder, onChange, isStopping } = this.#options;
    try {
      while (!isStopping() && (await rejoinBacklog(database, name, REJOIN_ROWS)) === REJOIN_ROWS);
      await forgetDestination(database, name);
      queues.get(domainOf(name)).expectBacklog();
    } catch (error) {
      recorder.report(error, 'rejoin a backlog');
    }
    onChange();
  }

  /**
   * Bounces mail that has waited for three days. Called only if the destination has accepted no mail for three days, so that old mail that
   * was never attempted is attempted first.
   */
  async #expire(name: string, reply: AttemptReply): Promise<void> {
    const { database, lease, recorder, orDoubt, pausedDestinations, isStopping } = this.#options;
    const before = new Date(clock.nowMs() - TIMINGS.abandonAfterMs);
    if (before.getTime() < pausedDestinations.earliestRetryStartMs) return;
    let after = FIRST_STREAM;
    while (!isStopping()) {
      const { rows, isMore, last } = await orDoubt(() =>
        claimParked(database, lease.leaseId, name, EXPIRE_ROWS, { before, after }),
      );
      await recorder.recordNotAttempted(rows, null, reply);
      if (!isMore) return;
      after = last;
    }
  }
}
