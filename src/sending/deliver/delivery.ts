/**
 * Delivery during one lease of a worker:
 *
 *   due --claim--> waiting in the queue of its destination --begin--> in flight --compose, sign, send--> outcome --record-->
 *   done, due later, or parked for the destination
 *
 * Claimed rows are a short queue in memory, so that the next message is there when a place gets free. Only what is in
 * flight counts a crash if the process dies.
 */
import { within } from '../../concurrency/within.ts';
import { type ClaimedRow, claimDue } from '../../queue/claim.ts';
import type { HoldWatch } from '../../queue/holds.ts';
import { FIRST_TURN } from '../../queue/turns.ts';
import { AttemptRecorder } from './attempt-recorder.ts';
import { Attempts, type AttemptsOptions } from './attempts.ts';
import { Backlog } from './backlog.ts';
import { destinationOf } from './destination-of.ts';
import { DestinationQueues, type Waiting } from './destination-queues.ts';
import { DestinationWatch } from './destination-watch.ts';
import { HeldMail, unparkDue } from './held-mail.ts';
import { groupJobs, type Job } from './job.ts';
import { PoisonTurn } from './poison-turn.ts';
import { TIMINGS } from './timings.ts';

/** Rows claimed at once: at the most, and for each place of the provider. Others may have a place for the rest. */
const CLAIM_ROWS = 400;
const CLAIM_ROWS_PER_PLACE = 4;
const BEGIN_ROWS = 100;
/** How long a queue that was found empty is left alone when nobody wakes us. */
const POLL_MS = 1_000;
/** The shortest pause between two claims while enough is ready. */
const BUSY_MS = 100;
/** The shortest pause between two looks of the timer; a change looks at once. */
const TICK_MS = 50;
/** A stop looks after this time what the lease holds beside what is in flight; each pause is twice the last one. */
const FIRST_PAUSE_MS = 1_000;

export interface DeliveryOptions
  extends Pick<AttemptsOptions, 'database' | 'lease' | 'provider' | 'composing' | 'logger' | 'onEvents'> {
  /** What is held. Whoever keeps it up to date calls `leaveHeld` where something is. */
  holds: HoldWatch;
  /** The answer to a statement was lost (see `AttemptRecorderOptions`). */
  onDoubt(): void;
}

export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #recorder: AttemptRecorder;
  readonly #queues: DestinationQueues;
  readonly #held: HeldMail;
  readonly #watch: DestinationWatch;
  readonly #backlog: Backlog;
  readonly #poison: PoisonTurn;
  readonly #attempts: Attempts;
  #claiming = false;
  #pumping = false;
  #stopping = false;
  #nextClaimMs = 0;
  #lastClaimMs = 0;
  #lastTurn = FIRST_TURN;
  /** Streams that had enough rows here when the last claim was made. */
  #leftOut: Waiting['enough'] = new Map();
  #nextUnparkMs = 0;
  #unparking: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  readonly #idle = Promise.withResolvers<void>();

  constructor(options: DeliveryOptions) {
    const { database, lease, provider, logger, composing, holds, onEvents, onDoubt } = options;
    this.#options = options;
    this.#recorder = new AttemptRecorder({ database, lease, provider, logger, holds, onEvents, onDoubt });
    this.#queues = new DestinationQueues(provider.destinations, provider.capacity);
    const parts = {
      database,
      lease,
      queues: this.#queues,
      recorder: this.#recorder,
      onChange: () => this.#pump(),
      isStopping: () => this.#stopping,
    };
    const claim = async <T>(statement: () => Promise<T>): Promise<T> => {
      try {
        return await statement();
      } catch (error) {
        // It may have been committed: then this lease holds rows that it does not know of.
        onDoubt();
        throw error;
      }
    };
    const probe = async (job: Job): Promise<void> => {
      await Promise.all(await this.#attempts.begin([job]));
    };
    this.#held = new HeldMail({ database, lease, holds, claim });
    this.#watch = new DestinationWatch({ ...parts, holds, claim, probe });
    this.#backlog = new Backlog({ ...parts, holds, claim, watch: this.#watch });
    const { watch, held } = { watch: this.#watch, held: this.#held };
    this.#attempts = new Attempts({ ...parts, provider, composing, logger, watch, held, onEvents });
    this.#poison = new PoisonTurn({
      ...parts,
      logger,
      attempts: this.#attempts,
      jobsOf: (rows) => this.#jobs(rows),
    });
    this.#pump();
  }

  /** There may be due rows. */
  readonly wake = (): void => {
    this.#nextClaimMs = 0;
    this.#pump();
  };

  /** What waits here for destinations that are held waits in the database from here on. */
  async leaveHeld(): Promise<void> {
    const jobs = this.#queues.takeOut((job) => job.rows.some((row) => this.#held.holds(row)));
    const free = await this.#held.leave(jobs.flatMap((job) => job.rows));
    if (this.#stopping) await this.#recorder.giveBack(free);
    else this.#queues.add(this.#jobs(free));
    this.#pump();
  }

  /**
   * Takes nothing more, gives back what was merely claimed, waits for what is in flight, and breaks it off after the
   * grace. May be called again with a shorter grace.
   * @returns whether anything is left to the lease
   */
  async stop(graceMs: number): Promise<boolean> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    const claimed = [...this.#queues.drain(), ...this.#poison.drain()];
    await this.#recorder.giveBack(claimed.flatMap((job) => job.rows));
    await Promise.all([this.#watch.stop(), this.#unparking]);
    this.#pump();
    await this.#waitForInFlight(graceMs);
    return this.#attempts.breakOff();
  }

  /**
   * Waits for what is in flight. What the lease holds beside that must not wait: rows that could not be given back, and
   * those of a claim whose answer was lost.
   */
  async #waitForInFlight(graceMs: number): Promise<void> {
    const endMs = performance.now() + graceMs;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
      const leftMs = endMs - performance.now();
      const isEmpty = await within(
        Math.min(pauseMs, leftMs),
        this.#idle.promise.then(() => true),
        false,
      );
      if (isEmpty || leftMs <= pauseMs) return;
      // After those that just begin there are no others.
      if (this.#attempts.areBeginning) continue;
      void this.#recorder.giveBackOthers(this.#attempts.rows);
    }
  }

  /** Moves whatever can move, at the end of this turn of the event loop, so that what ended together begins together. */
  #pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    setImmediate(() => {
      this.#pumping = false;
      this.#move();
    });
  }

  #move(): void {
    if (this.#stopping) {
      const { count, areBeginning } = this.#attempts;
      if (count === 0 && !areBeginning && !this.#claiming) this.#idle.resolve();
      return;
    }
    if (this.#options.lease.holds()) {
      this.#giveBackUnusable();
      if (this.#options.provider.destinations !== null) {
        this.#backlog.tick();
        this.#watch.tick();
      } else this.#unpark();
      this.#claimMore();
      this.#beginMore();
    }
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        this.#move();
      },
      Math.max(Math.min(this.#nextClaimMs - performance.now(), POLL_MS), TICK_MS),
    );
  }

  #unpark(): void {
    const nowMs = performance.now();
    if (nowMs < this.#nextUnparkMs || this.#unparking !== null) return;
    this.#nextUnparkMs = nowMs + TIMINGS.lookMs;
    this.#unparking = unparkDue(this.#options.database)
      .catch(this.#recorder.reporter('look at destinations'))
      .finally(() => {
        this.#unparking = null;
      });
  }

  /** Nobody knows for how long the provider takes nothing from this worker. Others may have a place. */
  #giveBackUnusable(): void {
    if (this.#options.provider.capacity > 0 || this.#attempts.areBeginning) return;
    const jobs = [...this.#queues.drain(), ...this.#poison.drain()];
    if (jobs.length > 0) void this.#recorder.giveBack(jobs.flatMap((job) => job.rows));
  }

  get #claimRows(): number {
    return Math.min(CLAIM_ROWS, Math.max(CLAIM_ROWS_PER_PLACE * this.#options.provider.capacity, 1));
  }

  #claimMore(): void {
    if (this.#claiming || this.#options.provider.capacity === 0) return;
    const nowMs = performance.now();
    if (this.#poison.isDue(nowMs)) {
      void this.#claim(() => this.#poison.claim());
      return;
    }
    if (nowMs < this.#nextClaimMs && this.#leftOut.size === 0) return;
    const { isFull, readyRows, enough } = this.#queues.look(this.#claimRows / 2);
    if (isFull) return;
    // Whoever had enough needs more now.
    const isAsked = [...this.#leftOut.keys()].some((stream) => !enough.has(stream));
    if (nowMs < this.#nextClaimMs && !isAsked) return;
    // Others may keep that many ready for long: what is due beside theirs must not wait for it.
    if (readyRows >= this.#claimRows / 2 && nowMs < this.#lastClaimMs + BUSY_MS) return;
    this.#lastClaimMs = nowMs;
    // Set before the statement: a wake that comes while it runs must not be forgotten.
    this.#nextClaimMs = nowMs + POLL_MS;
    this.#leftOut = enough;
    void this.#claim(() => this.#claimDue());
  }

  async #claimDue(): Promise<void> {
    const { database, lease } = this.#options;
    const { rows, isMore, last } = await claimDue(database, lease.leaseId, this.#claimRows, {
      after: this.#lastTurn,
      leaveOut: [...this.#leftOut.values()],
    });
    this.#lastTurn = last;
    if (this.#stopping) {
      await this.#recorder.giveBack(rows);
      return;
    }
    this.#queues.add(this.#jobs(await this.#held.leave(rows)));
    if (isMore) this.#nextClaimMs = 0;
    if (this.#options.provider.destinations === null) return;
    await this.#backlog.sort();
    if (isMore) await this.#backlog.clearTheWay();
  }

  async #claim(claim: () => Promise<void>): Promise<void> {
    this.#claiming = true;
    try {
      await claim();
    } catch (error) {
      this.#recorder.report(error, 'claim');
      // It may have been committed: then this lease holds rows that it does not know of.
      this.#options.onDoubt();
    }
    this.#claiming = false;
    this.#pump();
  }

  #jobs(rows: readonly ClaimedRow[]): Job[] {
    return groupJobs(rows, this.#options.provider.destinations === null ? () => '' : destinationOf);
  }

  #beginMore(): void {
    const { count, areBeginning } = this.#attempts;
    if (areBeginning) return;
    const { capacity } = this.#options.provider;
    if (this.#poison.isTaken) {
      if (capacity > 0) void this.#poison.beginWhenDue();
      return;
    }
    const free = capacity - count;
    // A few free places wait for company while others are busy: batches make the commits cheap.
    const worth = count === 0 || free >= Math.min(BEGIN_ROWS, capacity) / 4;
    if (!worth) return;
    const jobs = this.#queues.take(Math.min(free, BEGIN_ROWS), this.#attempts.admission());
    if (jobs.length > 0) void this.#attempts.begin(jobs);
  }
}
