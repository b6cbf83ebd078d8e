/**
 * Deletes data whose retention has ended (docs/operate/retention.md). Only one process of the installation deletes at a time. This process
 * uses a separate connection, and small batches with pauses, so that accepting and sending mail are not affected.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { ObjectStore } from '../blobs/object-store.ts';
import { columnsOf } from '../db/columns.ts';
import { type Database, isDatabaseAway, sqlState } from '../db/database.ts';
import { deletingExpiredAccountRows } from '../accounts/background-jobs.ts';
import { countingUsage } from '../accounts/usage-days.ts';
import { forgettingSignIns } from '../mailboxes/sign-in/background-jobs.ts';
import { sweepingFileLinks } from '../file-links/sweep-file-links.ts';
import { timeOf } from '../model/ids.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import { dropOld } from './retention-of-instance.ts';
import { deletingRouteMessages } from './delete-route-messages.ts';
import { deletingSubmissions } from './delete-submissions.ts';
import type { DeletionJob } from './deleting.ts';
import {
  deletingSandboxCopies,
  deletingWaitingBodies,
  findRetainingProjects,
  firstRetainedId,
  deletingExpiredOf,
} from './retention-of-projects.ts';
import { processingFailedForwards } from '../receiving/forward/failed-forwards.ts';
import { KeptMail } from '../receiving/spam/kept-mail.ts';
import { deletingOldOperatorMail } from '../receiving/operators/operator-mail.ts';
import { deletingOldReplyRecords } from '../receiving/vacation/delete-reply-records.ts';
import { forgettingSources } from '../moving/copied-messages.ts';
import { deletingFolders, expungingOldJunk, forgettingExpunged } from '../store/background-jobs.ts';
import { listingOlder } from '../store/list-older.ts';
import { forgettingWords } from '../store/search/forget-words.ts';
import { TIMINGS as MAIL_TIMINGS } from '../store/timings.ts';
import { deliveringWarnings } from '../store/warnings.ts';
import { findRemovals, removing } from './removals.ts';
import { BlobSweeper, SWEEP_TIMINGS } from './sweep-blobs.ts';
import { TIMINGS } from './timings.ts';

/** The key of the advisory lock that the deleting process holds. */
const LOCK = 7_340_024;

const LOCKED = columnsOf({ mine: 'bool' });

export interface RetentionOptions {
  /** One connection, used only for deletions. */
  database: Database;
  /** The installation's retention of emails, in days; null to retain emails forever. */
  keepDays: number | null;
  /** The store of large messages. */
  objects: ObjectStore;
  logger: Logger;
  /** Default: `TIMINGS`. */
  timings?: typeof TIMINGS;
}

export class RetentionRole implements AsyncDisposable {
  readonly #options: RetentionOptions;
  readonly #timings: typeof TIMINGS;
  readonly #stop = new AbortController();
  #nextMs = 0;
  #nextDropMs = 0;
  #nextTidyMs = 0;
  /** The number of jobs that have failed since the start. */
  #failures = 0;
  #nextSandboxMs = 0;
  #nextEmptyingMs = 0;
  #nextWordsMs = 0;
  #nextUsageMs = 0;
  readonly #blobs: BlobSweeper;
  readonly #keptMail = new KeptMail();
  #scanning: Promise<void> | null = null;

  constructor(options: RetentionOptions) {
    const { objects, logger, timings = TIMINGS } = options;
    this.#options = options;
    this.#timings = timings;
    this.#blobs = new BlobSweeper(objects, logger, { ...SWEEP_TIMINGS, ...timings });
  }

  /** Begins a pass if one is due. Never throws. */
  tick(): void {
    if (this.#scanning !== null || this.#stop.signal.aborted || performance.now() < this.#nextMs) return;
    let restMs = this.#timings.scanMs;
    this.#scanning = this.scan()
      .then((isDone) => {
        if (!isDone) restMs = 0;
      })
      .catch((error: unknown) => {
        if (this.#stop.signal.aborted) return;
        // A lock timeout (55P03) may repeat on every pass, so it is logged.
        if (isDatabaseAway(error) && sqlState(error) !== '55P03') return;
        this.#options.logger.error({ err: error }, LOG_MESSAGES.retentionFailed);
      })
      .finally(() => {
        this.#scanning = null;
        this.#nextMs = performance.now() + restMs;
      });
  }

  /**
   * Runs a pass that deletes expired data, unless another process is running one.
   * @returns false if the pass ended before all expired data was deleted; the next pass then begins at once
   */
  async scan(): Promise<boolean> {
    return this.#options.database.connection().execute(async (session) => {
      const { rows } = await LOCKED.sql`
        select pg_try_advisory_lock(${sql.lit(LOCK)}) as mine`.execute(session);
      if (rows[0]?.mine !== true) return true;
      try {
        return await this.#deleteOld(session);
      } finally {
        // If the connection is lost, the lock is released too.
        await sql`select pg_advisory_unlock(${sql.lit(LOCK)})`.execute(session).catch(() => {});
      }
    });
  }

  async #deleteOld(session: Database): Promise<boolean> {
    await this.#attempt(session, () => this.#dropOld(session));
    const removals = await findRemovals(session);
    const projects = await findRetainingProjects(session);
    const isTidying = performance.now() >= this.#nextTidyMs;
    const failuresBefore = this.#failures;
    const isDone = await this.#runRoundRobin(session, [
      ...removals.map((removal) => removing(session, removal, this.#timings)),
      ...projects.map((project) => deletingExpiredOf(session, project, this.#timings)),
      deletingWaitingBodies(session),
      this.#deletingCopies(session),
      this.#emptying(session),
      deletingFolders(session),
      listingOlder(session),
      this.#forgettingWords(session),
      this.#countingUsage(session),
      deliveringWarnings(session),
      this.#keptMail.learning(session, this.#options.objects),
      processingFailedForwards(session, this.#options.objects),
      deletingRouteMessages(session),
      sweepingFileLinks(session, this.#options.objects),
      this.#blobs.sweeping(session),
      ...(isTidying
        ? [
            deletingSubmissions(session),
            forgettingExpunged(session),
            forgettingSources(session),
            forgettingSignIns(session),
            deletingExpiredAccountRows(session, this.#options.keepDays),
            deletingOldReplyRecords(session),
            deletingOldOperatorMail(session),
          ]
        : []),
    ]);
    if (isTidying) {
      const isTidy = isDone && this.#failures === failuresBefore;
      this.#nextTidyMs = isTidy ? performance.now() + this.#timings.tidyMs : 0;
    }
    return isDone;
  }

  async #dropOld(session: Database): Promise<void> {
    const { keepDays } = this.#options;
    if (keepDays === null || performance.now() < this.#nextDropMs) return;
    const result = await dropOld(session, timeOf(firstRetainedId(keepDays)));
    // Waits before the next attempt, because a backup takes a while, and each attempt blocks the acceptance of mail for a moment.
    if (result === 'busy') this.#nextDropMs = performance.now() + this.#timings.dropAfterBusyMs;
  }

  /** Runs only every `sandboxMs`, because the search for old copies scans all copies of a month. */
  async *#deletingCopies(session: Database): DeletionJob {
    if (performance.now() < this.#nextSandboxMs) return;
    yield* deletingSandboxCopies(session);
    this.#nextSandboxMs = performance.now() + this.#timings.sandboxMs;
  }

  async *#forgettingWords(session: Database): DeletionJob {
    if (performance.now() < this.#nextWordsMs) return;
    yield* forgettingWords(session);
    this.#nextWordsMs = performance.now() + MAIL_TIMINGS.wordsMs;
  }

  async *#countingUsage(session: Database): DeletionJob {
    if (performance.now() < this.#nextUsageMs) return;
    yield* countingUsage(session);
    this.#nextUsageMs = performance.now() + this.#timings.usageMs;
  }

  async *#emptying(session: Database): DeletionJob {
    if (performance.now() < this.#nextEmptyingMs) return;
    yield* expungingOldJunk(session);
    this.#nextEmptyingMs = performance.now() + MAIL_TIMINGS.emptyingMs;
  }

  /**
   * Runs a job. A failure must not stop other jobs, so it is logged, and the job runs again in the next pass.
   * @returns null if the job failed
   * @throws the job's error, if the connection is lost or the process is stopping
   */
  async #attempt<T>(session: Database, work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      if (this.#stop.signal.aborted) throw error;
      // The pass ends only if the connection is lost. A lock timeout, for example, does not end the pass.
      const isLost = await sql`select`.execute(session).then(
        () => false,
        () => true,
      );
      if (isLost) throw error;
      this.#options.logger.error({ err: error }, LOG_MESSAGES.retentionFailed);
      this.#failures += 1;
      return null;
    }
  }

  /**
   * Runs a batch of each job, then the next batch of each job, until all jobs have finished or the time of the pass is over. A single job
   * may take hours.
   * @returns whether all jobs finished
   */
  async #runRoundRobin(session: Database, jobs: DeletionJob[]): Promise<boolean> {
    const untilMs = performance.now() + this.#timings.scanMs;
    let left = jobs;
    while (left.length > 0) {
      const unfinished: DeletionJob[] = [];
      for (const job of left) {
        if (this.#stop.signal.aborted) return false;
        const startMs = performance.now();
        const batch = await this.#attempt(session, () => job.next());
        // A generator that has thrown has ended.
        if (batch === null || batch.done === true) continue;
        unfinished.push(job);
        const pauseMs = Math.max(this.#timings.pauseMs, performance.now() - startMs);
        await sleep(pauseMs, undefined, { signal: this.#stop.signal }).catch(() => {});
      }
      left = unfinished;
      if (performance.now() >= untilMs) break;
    }
    for (const job of left) await job.return();
    return left.length === 0;
  }

  /** Ends the pass after the current batch. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#scanning;
  }
}
