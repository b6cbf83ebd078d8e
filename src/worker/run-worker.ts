/**
 * The worker role. A worker begins one lease after another until it is stopped. Besides its own deliveries, a worker ends the leases of
 * workers that have died, and deletes expired data.
 */
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Blobs } from '../blobs/blobs.ts';
import { foldStorage } from '../accounts/usage.ts';
import { type Database, isDatabaseAway } from '../db/database.ts';
import { listenToQueue, wakeQueue } from '../db/notify.ts';
import { ensurePartitions } from '../db/partitions.ts';
import type { SharedStatements } from '../db/shared-statements.ts';
import type { DomainSchedule } from '../domains/check-schedule.ts';
import type { DkimKeyring } from '../domains/dkim-keyring.ts';
import { forgetIdempotencyKeys } from '../sending/accept/insert-emails.ts';
import type { SendingJudge } from '../sending/locks/sending-judge.ts';
import type { Notices } from '../sending/notices/notices.ts';
import { Delivery, type DueRecipients } from '../sending/deliver/delivery.ts';
import { forgetSubmissionKeys } from '../sending/submit/insert-submissions.ts';
import { recordAbandoned } from '../sending/deliver/record-abandoned.ts';
import type { Provider } from '../sending/deliver/provider.ts';
import type { ReturnPaths } from '../reports/return-path.ts';
import type { ServiceBodies } from '../sending/service-mail/service-bodies.ts';
import type { TrackingLinks } from '../sending/track/tracking-links.ts';
import { clearExpiredSuppressions } from '../sending/suppress/suppressing.ts';
import { newUuid } from '../model/ids.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import { releaseDeadClaims } from '../queue/dead-claims.ts';
import { endLease, findExpiredLeases } from '../queue/end-lease.ts';
import { Lease } from '../queue/lease.ts';
import { deleteOldPauses, type PausedDestinations } from '../queue/paused-destinations.ts';
import type { PauseWatch } from '../queue/pause.ts';
import { type ProviderWatch, rejoinSetAside } from '../queue/provider-kind.ts';
import { forgetActivity } from '../webhooks/activity.ts';
import type { LinkScanner } from '../file-links/scan/link-scanner.ts';
import type { EmailCounter } from '../insights/counts/email-counter.ts';
import type { EmailIndexer } from '../insights/search/email-indexer.ts';
import { forgetDrafts } from '../webmail/write/forget-drafts.ts';
import type { SnoozeWaker } from '../webmail/act/snooze-waker.ts';
import type { OutgoingSender } from '../webmail/write/outgoing-sender.ts';
import type { ReplayFeed } from '../webhooks/replay/replay-feed.ts';
import type { RetentionRole } from '../retention/retention.ts';
import type { WorkerShare } from '../concurrency/share.ts';
import { within } from '../concurrency/within.ts';
import { findWork, type Work } from './find-work.ts';
import { TIMINGS } from './timings.ts';

export interface WorkerOptions {
  database: Database;
  /** The statements with which the poll of the worker and the heartbeats of its leases share a commit. */
  shared: SharedStatements;
  databaseUrl: string;
  provider: Provider;
  keyring: DkimKeyring;
  returnPaths: ReturnPaths;
  trackingLinks: TrackingLinks;
  /** The storage of messages that mailboxes have sent. */
  blobs: Pick<Blobs, 'open'>;
  serviceBodies: Pick<ServiceBodies, 'open'>;
  logger: Logger;
  /** Delivers webhooks, alongside emails. */
  webhooks: { wake(): void } & AsyncDisposable;
  /** Delivers incoming mail to routes. */
  routes: { wake(): void } & AsyncDisposable;
  /** Makes failed webhook deliveries due again when a replay is requested. */
  replays: Pick<ReplayFeed, 'tick'> & AsyncDisposable;
  /** The cached state of whether sending is paused. The worker calls `poll`. */
  pause: PauseWatch;
  /** The cached state of whether the worker's provider is of the installation's kind. The worker calls `poll`. */
  agreement: ProviderWatch;
  /** The cached list of paused destinations. The worker calls `poll`. */
  pausedDestinations: PausedDestinations;
  /** Checks the DNS records of domains. */
  domains: Pick<DomainSchedule, 'tick'> & AsyncDisposable;
  /** The retention of emails in days; null for unlimited. The retention determines the time spans of new partitions. */
  keepDays: number | null;
  /** Sends delivery notices to the owners of mailboxes. */
  notices: Pick<Notices, 'tick'> & AsyncDisposable;
  /** Sends messages from the web client that are due. */
  outgoing: Pick<OutgoingSender, 'tick'> & AsyncDisposable;
  /** Returns snoozed messages to their folders. */
  snoozes: Pick<SnoozeWaker, 'tick'> & AsyncDisposable;
  /** Locks mailboxes that send unwanted mail. */
  judge: Pick<SendingJudge, 'tick'> & AsyncDisposable;
  /** Deletes data whose retention has ended. */
  retention: Pick<RetentionRole, 'tick'> & AsyncDisposable;
  /** Counts the outcomes of emails. */
  counter: Pick<EmailCounter, 'tick' | 'wake'> & AsyncDisposable;
  /** Indexes the words of emails. */
  indexer: Pick<EmailIndexer, 'tick' | 'wake'> & AsyncDisposable;
  /** Scans the files of links for viruses. Null if there is no scanner. */
  scanner: (Pick<LinkScanner, 'tick'> & AsyncDisposable) | null;
  /** The share of this process among the living workers. */
  share: () => WorkerShare;
  /** The id of this process. */
  processId: string;
  /** The ids of the running processes. Null if the ids are unknown. */
  living: () => readonly string[] | null;
  /** The id of the first lease. */
  leaseId: string;
  /** Ids of leases whose process is known to be dead. */
  deadLeaseIds: readonly string[];
  /** Default: `TIMINGS`. */
  timings?: Pick<typeof TIMINGS, 'tickMs' | 'standInMs'>;
}

/** The work of the delivery if the result of a poll is unknown. */
const ALL_DUE: DueRecipients = { hasDueRows: true, hasDuePoison: true, hasDueDestinations: true };

/** A lease and its deliveries. */
interface Leased {
  lease: Lease;
  delivery: Delivery;
}

export class Worker implements AsyncDisposable {
  readonly #options: WorkerOptions;
  readonly #listening: AsyncDisposable;
  readonly #timer: NodeJS.Timeout;
  readonly #standInMs: number;
  #leaseId: string;
  #current: Leased | null = null;
  /** Leases that are in doubt or over. No more rows are claimed under them. */
  readonly #retiring = new Set<Leased>();
  #nextJudgeMs = 0;
  #nextClearMs = 0;
  #nextFoldMs = 0;
  #nextStandInMs: number;
  #polling: Promise<void> | null = null;
  /** The number of times that the settings were read without a poll. A poll that began before such a read returns older settings. */
  #readings = 0;
  #judging: Promise<void> | null = null;
  #clearing: Promise<void> | null = null;
  #stopping = false;

  private constructor(options: WorkerOptions) {
    this.#options = options;
    this.#leaseId = options.leaseId;
    const { tickMs, standInMs } = options.timings ?? TIMINGS;
    this.#standInMs = standInMs;
    this.#nextStandInMs = performance.now() + standInMs;
    this.#listening = listenToQueue(options.databaseUrl, () => {
      this.#current?.delivery.wake();
      options.webhooks.wake();
      options.routes.wake();
      options.counter.wake();
      options.indexer.wake();
    });
    this.#timer = setInterval(() => this.#tick(), tickMs);
    this.#tick();
  }

  /**
   * Ends the leases of `deadLeaseIds` before the worker claims any rows. If this process dies too, the process that replaces it need not
   * know of these leases.
   */
  static async start(options: WorkerOptions): Promise<Worker> {
    for (const leaseId of options.deadLeaseIds)
      await endLease(options.database, leaseId, 'dead', recordAbandoned(options.logger));
    return new Worker(options);
  }

  /** Whether the worker works as expected: its lease has a fresh heartbeat, or sending is paused. */
  get isAtWork(): boolean {
    const { pause } = this.#options;
    return this.#current === null ? pause.hasPolled && pause.isPaused : this.#current.lease.isValid();
  }

  /** The reason, in full sentences, why the worker must not use its provider. Null if the worker may use it. */
  get whyNotSending(): string | null {
    return this.#options.agreement.reason;
  }

  #tick(): void {
    if (this.#stopping) return;
    // Machines without a scanner cannot scan, so every worker with a scanner tries.
    this.#options.scanner?.tick();
    if (this.#polling === null)
      this.#polling = this.#poll().finally(() => {
        this.#polling = null;
      });
    // A poll that takes longer than a tick may wait for a lock on one table, which must not delay the work on the other tables.
    else this.#begin(null);
  }

  async #poll(): Promise<void> {
    const readings = this.#readings;
    let work: Work | null = null;
    try {
      work = await findWork(this.#options.shared, this.#options.living());
    } catch (error) {
      if (!this.#stopping) this.#report(error);
    }
    if (!this.#stopping) this.#begin(work, work !== null && this.#readings !== readings);
  }

  /**
   * Begins the work that is due.
   * @param work null: unknown, so each part polls by itself
   * @param isOvertaken whether the worker has read the settings since the poll began, so that the settings in `work` may be older
   */
  #begin(work: Work | null, isOvertaken = false): void {
    const { domains, notices, outgoing, pause, replays, routes, snoozes, webhooks } = this.#options;
    // Before all other work, because sending may have been paused.
    if (!isOvertaken)
      this.#judging ??= this.#logging(this.#look(work)).finally(() => {
        this.#judging = null;
        if (work === null) this.#readings += 1;
      });
    if (this.#mayRunJobs()) this.#runJobs(work);
    if (work?.hasDueDomains !== false) void domains.tick();
    if (work?.hasDueNotices !== false) notices.tick();
    if (work?.hasDueMessages !== false) outgoing.tick();
    if (work?.hasDueSnoozes !== false) snoozes.tick();
    if (!pause.isPaused) {
      if (work?.hasReplays !== false) replays.tick();
      // `#look` may wait for a lock on the settings or on the paused destinations. Meanwhile sending continues with the last known state.
      if (work?.hasDueWebhooks !== false) webhooks.wake();
      if (work?.hasDueRoutes !== false) routes.wake();
      this.#current?.delivery.found(work ?? ALL_DUE);
    }
    // `#clear` runs independently of `#look`, so that waiting for a lock does not keep the worker from noticing a pause.
    this.#clearing ??= this.#logging(this.#clear(work)).finally(() => {
      this.#clearing = null;
    });
  }

  /**
   * Whether to try the jobs that only one process of the installation runs at a time. The first worker always tries them. The other workers
   * rarely do, because each try is a commit. The lock of each job decides if several workers try it.
   */
  #mayRunJobs(): boolean {
    const nowMs = performance.now();
    if (this.#options.share().index !== 0 && nowMs < this.#nextStandInMs) return false;
    this.#nextStandInMs = nowMs + this.#standInMs;
    return true;
  }

  #runJobs(work: Work | null): void {
    const { retention, judge, counter, indexer } = this.#options;
    retention.tick();
    judge.tick(work?.hasRejectedMail);
    counter.tick(work?.hasDueCounts);
    indexer.tick(work?.hasOpenSegments);
  }

  async #logging(work: Promise<void> | undefined): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    if (!isDatabaseAway(error)) this.#options.logger.error({ err: error }, LOG_MESSAGES.workerFailed);
  }

  /** Follows the settings, and begins or retires a lease accordingly. @param work null: the settings are read */
  async #look(work: Work | null): Promise<void> {
    const { pause, agreement, pausedDestinations, routes, webhooks } = this.#options;
    const wasPaused = pause.isPaused;
    const settings = work && new Map(Object.entries(work.settings));
    if (settings === null) await pause.poll();
    else pause.learn(settings);
    await (settings === null ? agreement.poll() : agreement.learn(settings));
    pausedDestinations.setEarliestRetryStart(agreement.sendingResumedMs);
    const maySend = !pause.isPaused && agreement.maySend;
    const isMoreHeld = work === null ? await pausedDestinations.poll() : pausedDestinations.learn(work.holds);
    if (wasPaused && !pause.isPaused) {
      webhooks.wake();
      routes.wake();
    }
    const isOver = this.#current?.lease.lost === true || this.#current?.lease.closed === true;
    if (this.#current !== null && (isOver || !maySend)) this.#retire(this.#current);
    if (maySend && this.#current === null) {
      this.#current = await this.#beginLease();
      // Rejoin the rows that an earlier worker of the other kind set aside.
      this.#nextFoldMs = 0;
    }
    if (isMoreHeld) void this.#logging(this.#current?.delivery.parkPaused());
  }

  async #clear(work: Work | null): Promise<void> {
    const { database, keepDays, logger } = this.#options;
    const nowMs = performance.now();
    const living = this.#options.living();
    const mayFindDead = living !== null && work?.hasDeadClaims !== false;
    if (mayFindDead && (await releaseDeadClaims(database, living)) > 0) await wakeQueue(database);
    const mayJudge = this.#current?.lease.mayJudge === true && work?.hasExpiredLeases !== false;
    if (mayJudge && nowMs >= this.#nextJudgeMs) {
      this.#nextJudgeMs = nowMs + TIMINGS.judgeMs;
      for (const leaseId of await findExpiredLeases(database))
        await endLease(database, leaseId, 'expired', recordAbandoned(logger));
    }
    if (nowMs >= this.#nextClearMs) {
      this.#nextClearMs = nowMs + TIMINGS.clearMs;
      await ensurePartitions(database, keepDays);
      await forgetIdempotencyKeys(database);
      await forgetSubmissionKeys(database);
      await clearExpiredSuppressions(database);
      await forgetActivity(database);
      await deleteOldPauses(database);
      await forgetDrafts(database);
    }
    if (nowMs >= this.#nextFoldMs) {
      this.#nextFoldMs = nowMs + TIMINGS.foldMs;
      await foldStorage(database);
      await this.#rejoinSetAside();
    }
  }

  /**
   * Makes rows due again that workers with the other kind of provider set aside. Runs periodically, because such a worker may set rows
   * aside until it notices that the installation's kind has changed.
   */
  async #rejoinSetAside(): Promise<void> {
    const { database, agreement } = this.#options;
    if (!agreement.maySend || agreement.kind === null) return;
    const endMs = performance.now() + TIMINGS.rejoinMs;
    while (!this.#stopping && (await rejoinSetAside(database, agreement.kind)) > 0) {
      this.#current?.delivery.wake();
      if (performance.now() < endMs) continue;
      // Continue at the next tick, after the check for dead workers.
      this.#nextFoldMs = 0;
      return;
    }
  }

  async #beginLease(): Promise<Leased> {
    const {
      database,
      provider,
      keyring,
      returnPaths,
      trackingLinks,
      blobs,
      serviceBodies,
      pausedDestinations,
      logger,
      webhooks,
    } = this.#options;
    const { processId, agreement } = this.#options;
    const name = `${hostname()}/${process.pid}`;
    const lease = await Lease.begin(database, this.#leaseId, name, {
      processId,
      isSandbox: agreement.kind === null ? null : agreement.kind === 'sandbox',
      shared: this.#options.shared,
    });
    const leased: Leased = {
      lease,
      delivery: new Delivery({
        database,
        provider,
        composing: { keyring, returnPaths, trackingLinks, blobs, serviceBodies, provider },
        pausedDestinations,
        logger,
        lease,
        onEvents: webhooks.wake,
        isPolled: true,
        onDoubt: () => this.#retire(leased),
      }),
    };
    return leased;
  }

  /** Retires a lease: no more rows are claimed under it, and it ends when no rows are in flight. The next tick begins a new lease. */
  #retire(leased: Leased): void {
    if (this.#current !== leased) return;
    this.#current = null;
    this.#leaseId = newUuid();
    this.#retiring.add(leased);
    void this.#end(leased, leased.lease.lost ? 0 : TIMINGS.retireGraceMs).finally(() =>
      this.#retiring.delete(leased),
    );
  }

  /** Ends the lease after its last delivery, unless some rows must stay claimed under it. */
  async #end({ lease, delivery }: Leased, graceMs: number): Promise<void> {
    lease.retire();
    const leftToLease = await delivery.stop(graceMs);
    while (!leftToLease && !lease.lost) {
      try {
        await endLease(
          this.#options.database,
          lease.leaseId,
          'retired',
          recordAbandoned(this.#options.logger),
        );
        break;
      } catch {
        // The worker's rows stay claimed until the database is back, or until the lease expires.
        if (this.#stopping) break;
        await new Promise((resolve) => {
          setTimeout(resolve, TIMINGS.tickMs);
        });
      }
    }
    lease.stop();
  }

  /** Finishes the deliveries in flight, releases the other rows, and ends the lease unless some rows must stay claimed under it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#timer);
    await this.#listening[Symbol.asyncDispose]();
    await Promise.all([this.#judging, this.#clearing]);
    const all = this.#current === null ? [...this.#retiring] : [this.#current, ...this.#retiring];
    await Promise.all([
      this.#options.webhooks[Symbol.asyncDispose](),
      this.#options.routes[Symbol.asyncDispose](),
      this.#options.domains[Symbol.asyncDispose](),
      this.#options.retention[Symbol.asyncDispose](),
      this.#options.indexer[Symbol.asyncDispose](),
      this.#options.scanner?.[Symbol.asyncDispose](),
      this.#options.counter[Symbol.asyncDispose](),
      this.#options.notices[Symbol.asyncDispose](),
      this.#options.judge[Symbol.asyncDispose](),
      this.#options.outgoing[Symbol.asyncDispose](),
      this.#options.snoozes[Symbol.asyncDispose](),
      this.#options.replays[Symbol.asyncDispose](),
      ...all.map((leased) => this.#end(leased, TIMINGS.stopGraceMs)),
    ]);
    // A poll that ends later begins nothing.
    await within(TIMINGS.pollGraceMs, this.#polling ?? Promise.resolve(), undefined);
    await this.#options.provider.close();
  }
}
