/**
 * The delivery of mail under one lease: a worker claims rows of the queue, attempts them, and settles them.
 *
 * A row of `queue` is a recipient with pending work. Its columns determine its state:
 *
 *   later      no lease, `next_attempt_at` is in the future: it is deferred or scheduled
 *   due        no lease, `next_attempt_at` has passed
 *   parked     no lease, `next_attempt_at` is infinity, `destination` names what it waits for
 *   set aside  no lease, `next_attempt_at` is infinity, no destination: it is for the other kind of provider
 *   claimed    lease: reserved for this worker, and in its memory
 *   in flight  lease, `in_flight`: an attempt is under way. If the process dies, that counts as a crash of the row
 *   in doubt   lease, `in_doubt`: an attempt is under way that no longer counts a crash. The server may have accepted the message
 *
 * Each change is one statement. A statement that changes a row with a lease finds only rows of that lease.
 *
 * | from               | to                    | who does it, and when                                             | statement                  |
 * |--------------------|-----------------------|-------------------------------------------------------------------|----------------------------|
 * | later              | due                   | its time comes, or an operator makes it due                       | `makeDeferredDue`          |
 * | due                | claimed               | a worker; one row alone after two crashes                         | `claimDue`, `claimPoison`  |
 * | due                | parked                | a worker that has enough rows for the destination                 | `parkDue`                  |
 * | parked             | claimed               | a worker, if the destination has capacity or is to be probed      | `claimParked`              |
 * | parked             | due                   | a worker that sends all mail to one server                        | `unparkDue`                |
 * | due, parked        | set aside             | a worker with the other kind of provider                          | all that claim             |
 * | set aside          | due                   | a worker with its kind of provider                                | `rejoinSetAside`           |
 * | claimed            | in flight             | its worker, before any work on it                                 | `beginAttempts`            |
 * | claimed            | parked                | its worker, if the destination is closed, paused or has enough    | `completeAttempts`, `parkUnstarted` |
 * | claimed            | due                   | its worker, if it stops, or has no slot at the provider           | `release`                  |
 * | in flight, doubt   | gone, later or parked | its worker, when the outcome is known                             | `completeAttempts`         |
 * | in flight, doubt   | parked or due         | its worker, if nothing was sent                                   | `parkUnstarted`, `release`      |
 * | in flight          | in doubt              | its worker, if a stop or a poison row cannot wait for the outcome | `leaveToLease`             |
 * | any with a lease   | due                   | any worker, when the lease is over; gone at the fifth crash       | `endLease`                 |
 * | no lease, claimed  | gone                  | the sender cancels or deletes, and nothing was sent               | `withdrawing`              |
 *
 * Claimed rows wait in `DestinationQueues`, or in `IsolatedRetry` if they must run alone, so that the next message is ready when a slot
 * becomes free. A statement may be committed although its result is lost. The lease may then hold rows that are in none of the worker's
 * queues. Such a lease is *in doubt*, and its worker retires it.
 */
import { within } from '../../concurrency/within.ts';
import { type ClaimedRow, claimDue, type ClaimOptions } from '../../queue/claim.ts';
import type { PausedDestinations } from '../../queue/paused-destinations.ts';
import { AttemptRecorder } from './attempt-recorder.ts';
import { Attempts, type AttemptsOptions } from './attempts.ts';
import { Backlog } from './backlog.ts';
import { ClaimPace } from './claim-pace.ts';
import { DestinationQueues } from './destination-queues.ts';
import { DestinationWatch, type DestinationWatchOptions } from './destination-watch.ts';
import { PausedMail } from './paused-mail.ts';
import type { Job } from './job.ts';
import { IsolatedRetry } from './isolated-retry.ts';

/** The maximum number of rows per claim, and the number of rows per provider slot. Other workers may have slots for further rows. */
const CLAIM_ROWS = 400;
const CLAIM_ROWS_PER_SLOT = 4;
const BEGIN_ROWS = 100;
/** The shortest pause between two passes of the timer. A change starts a pass at once. */
const TICK_MS = 50;
/**
 * The first pause before a stop releases the rows of the lease that are not in flight. Each pause is twice as long as the previous pause.
 */
const FIRST_PAUSE_MS = 1_000;

export interface DeliveryOptions
  extends Pick<AttemptsOptions, 'database' | 'lease' | 'provider' | 'composing' | 'logger' | 'onEvents'> {
  /** The paused destinations. The owner of this object calls its `poll`, and calls `parkPaused` after a destination was paused. */
  pausedDestinations: PausedDestinations;
  /** Called when the lease is in doubt (see `AttemptRecorderOptions`). */
  onDoubt(): void;
  /** Whether the owner of this object polls for due rows and calls `found`. Default: the delivery polls for itself. */
  isPolled?: boolean;
  timings?: DestinationWatchOptions['timings'];
}

/** The kinds of work that are due in the queue, as far as a poll shows. */
export interface DueRecipients {
  hasDueRows: boolean;
  hasDuePoison: boolean;
  hasDueDestinations: boolean;
}

export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #recorder: AttemptRecorder;
  readonly #queues: DestinationQueues;
  readonly #pace: ClaimPace;
  readonly #pausedMail: PausedMail;
  readonly #watch: DestinationWatch;
  readonly #backlog: Backlog;
  readonly #poison: IsolatedRetry;
  readonly #attempts: Attempts;
  #isClaiming = false;
  #isPumping = false;
  #isStopping = false;
  #timer: NodeJS.Timeout | undefined;
  /** Resolves after a stop, when no rows are in flight and no claim is running. */
  readonly #idle = Promise.withResolvers<void>();

  constructor(options: DeliveryOptions) {
    const { database, lease, provider, logger, composing, pausedDestinations, onEvents, onDoubt } = options;
    const { isPolled = false, timings } = options;
    this.#options = options;
    const recorder = new AttemptRecorder({
      database,
      lease,
      provider,
      logger,
      pausedDestinations,
      onEvents,
      onDoubt,
    });
    const queues = new DestinationQueues(provider.destinations, provider.capacity);
    const parts = {
      database,
      lease,
      pausedDestinations,
      queues,
      recorder,
      orDoubt: this.#orDoubt,
      probe: this.#probe,
      onChange: () => this.#pump(),
      isStopping: () => this.#isStopping,
    };
    const pausedMail = new PausedMail(parts);
    const watch = new DestinationWatch({ ...parts, isPolled, timings });
    const attempts = new Attempts({
      ...parts,
      provider,
      composing,
      logger,
      watch,
      pausedMail,
      onEvents,
    });
    this.#recorder = recorder;
    this.#queues = queues;
    this.#pace = new ClaimPace(queues, isPolled);
    this.#pausedMail = pausedMail;
    this.#watch = watch;
    this.#backlog = new Backlog({ ...parts, watch });
    this.#attempts = attempts;
    this.#poison = new IsolatedRetry({ ...parts, isPolled, logger, attempts });
    this.#pump();
  }

  /** Called when there may be due rows. */
  readonly wake = (): void => {
    this.#pace.wake();
    this.#pump();
  };

  /** Called by an owner that polls: claims what its poll has found. */
  found({ hasDueRows, hasDuePoison, hasDueDestinations }: DueRecipients): void {
    if (hasDueRows) this.#pace.wake();
    if (hasDuePoison) this.#poison.wake();
    if (hasDueDestinations) this.#watch.wake();
    if (hasDueRows || hasDuePoison || hasDueDestinations) this.#pump();
  }

  /** Takes rows whose destination is paused out of the queues in memory and parks them in the database. */
  async parkPaused(): Promise<void> {
    const jobs = this.#queues.removeJobs((job) => job.rows.some((row) => this.#pausedMail.holds(row)));
    await this.#enqueue(jobs.flatMap((job) => job.rows));
    this.#pump();
  }

  /**
   * Stops claiming rows and beginning attempts, releases the rows that are only claimed, waits for the rows in flight, and aborts their
   * attempts after the grace period. May be called again with a shorter period.
   * @returns whether rows stay claimed under the lease
   */
  async stop(graceMs: number): Promise<boolean> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    await this.#releaseClaimed();
    await this.#watch.stop();
    this.#pump();
    await this.#waitForInFlight(graceMs);
    return this.#attempts.breakOff();
  }

  /** Starts all possible steps at the end of this tick of the event loop, so that attempts that ended together are replaced together. */
  #pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    setImmediate(() => {
      this.#isPumping = false;
      if (this.#isStopping) this.#checkIdle();
      else this.#move();
    });
  }

  #move(): void {
    if (this.#options.lease.isValid()) {
      // The provider may have no capacity for this worker for long, while other workers may have a free slot.
      if (this.#options.provider.capacity === 0 && !this.#attempts.areBeginning) void this.#releaseClaimed();
      this.#backlog.tick();
      this.#watch.tick();
      this.#claim();
      this.#begin();
    }
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        this.#move();
      },
      Math.max(this.#pace.pauseMs, TICK_MS),
    );
  }

  /** Moves rows from due to claimed. Runs one claim at a time. */
  #claim(): void {
    const { capacity } = this.#options.provider;
    if (this.#isClaiming || capacity === 0) return;
    if (this.#poison.isDue(performance.now())) {
      void this.#whileClaiming(() => this.#poison.claim());
      return;
    }
    const limit = Math.min(CLAIM_ROWS, CLAIM_ROWS_PER_SLOT * capacity);
    const options = this.#pace.next(limit);
    if (options !== null) void this.#whileClaiming(() => this.#claimDue(limit, options));
  }

  async #whileClaiming(claim: () => Promise<void>): Promise<void> {
    this.#isClaiming = true;
    await claim().catch(this.#recorder.reporter('claim'));
    this.#isClaiming = false;
    this.#pump();
  }

  async #claimDue(limit: number, options: ClaimOptions): Promise<void> {
    const { database, lease } = this.#options;
    const claim = await this.#orDoubt(() => claimDue(database, lease.leaseId, limit, options));
    await this.#enqueue(claim.rows);
    this.#pace.claimed(claim);
    await this.#backlog.loadAndPark();
    if (claim.isMore) await this.#backlog.parkCrowdedRows();
  }

  /** Queues claimed rows until a slot is free. Rows of paused destinations are parked instead. */
  async #enqueue(rows: readonly ClaimedRow[]): Promise<void> {
    const free = await this.#pausedMail.leave(rows);
    // A stop that began in the meantime has already emptied the queues.
    if (this.#isStopping) await this.#recorder.release(free);
    else this.#queues.add(this.#queues.jobsOf(free));
  }

  /** Moves rows from claimed to in flight. Runs one statement at a time. */
  #begin(): void {
    const { count, areBeginning } = this.#attempts;
    if (areBeginning) return;
    const { capacity } = this.#options.provider;
    if (this.#poison.isOccupied) {
      if (capacity > 0) void this.#poison.beginWhenDue();
      return;
    }
    const free = capacity - count;
    // While other slots are busy, wait until more slots are free, because commits are cheaper in batches.
    const isWorth = count === 0 || free >= Math.min(BEGIN_ROWS, capacity) / 4;
    if (!isWorth) return;
    const jobs = this.#queues.take(Math.min(free, BEGIN_ROWS), this.#attempts.admission());
    if (jobs.length > 0) void this.#attempts.begin(jobs);
  }

  readonly #probe = async (job: Job): Promise<void> => {
    await Promise.all(await this.#attempts.begin([job]));
  };

  /** Moves rows from claimed to due. */
  async #releaseClaimed(): Promise<void> {
    const jobs = [...this.#queues.drain(), ...this.#poison.drain()];
    await this.#recorder.release(jobs.flatMap((job) => job.rows));
  }

  /**
   * Waits for the rows in flight. Meanwhile releases the other rows of the lease: rows whose release failed earlier, and rows of a claim
   * whose result was lost.
   */
  async #waitForInFlight(graceMs: number): Promise<void> {
    const endMs = performance.now() + graceMs;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
      const leftMs = endMs - performance.now();
      const isIdle = await within(
        Math.min(pauseMs, leftMs),
        this.#idle.promise.then(() => true),
        false,
      );
      if (isIdle || leftMs <= pauseMs) return;
      // Rows of attempts that are just beginning do not count as in flight yet. No attempts begin after these.
      if (this.#attempts.areBeginning) continue;
      void this.#recorder.releaseOthers(this.#attempts.rows);
    }
  }

  #checkIdle(): void {
    const { count, areBeginning } = this.#attempts;
    if (count === 0 && !areBeginning && !this.#isClaiming) this.#idle.resolve();
  }

  readonly #orDoubt = async <T>(statement: () => Promise<T>): Promise<T> => {
    try {
      return await statement();
    } catch (error) {
      this.#options.onDoubt();
      throw error;
    }
  };
}
