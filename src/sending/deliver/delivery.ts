/**
 * Delivery during one lease of a worker:
 *
 *   due --claim--> waiting in the queue of its destination --begin--> in flight --compose, sign, send--> outcome --record-->
 *   done, due later, or parked for the destination
 *
 * Claimed rows are a short queue in memory, so that the next message is there when a place gets free. Only what is in
 * flight counts a crash if the process dies.
 */
import type { Logger } from 'pino';
import { type Database, isDatabaseAway } from '../../db/database.ts';
import { Semaphore } from '../../model/semaphore.ts';
import { within } from '../../model/within.ts';
import { type ClaimedRow, claimDue } from '../../queue/claim.ts';
import type { Lease } from '../../queue/lease.ts';
import { AttemptRecorder } from './attempt-recorder.ts';
import { Backlog } from './backlog.ts';
import { type BegunJob, beginAttempts } from './begin-attempts.ts';
import { type ComposedEmail, type ComposeFor, composerOf, type Composing } from './compose-email.ts';
import type { DestinationQueue, Reservation } from './destination-queue.ts';
import { DestinationQueues } from './destination-queues.ts';
import { DestinationWatch } from './destination-watch.ts';
import { groupJobs, type Job } from './job.ts';
import { LargeMessages, maxCopies } from './large-messages.ts';
import { ObservedAttempt } from './observed-attempt.ts';
import { PoisonTurn } from './poison-turn.ts';
import type { Outcome, Provider } from './provider.ts';

/** Rows claimed at once. */
const CLAIM_ROWS = 400;
const BEGIN_ROWS = 100;
/** How long a queue that was found empty is left alone when nobody wakes us. */
const POLL_MS = 1_000;
/** The shortest pause between two looks of the timer; a change looks at once. */
const TICK_MS = 50;
/** A stop looks after this time what the lease holds beside what is in flight; each pause is twice the last one. */
const FIRST_PAUSE_MS = 1_000;

export interface DeliveryOptions extends Composing {
  database: Database;
  lease: Lease;
  provider: Provider;
  logger: Logger;
  /** Events were written, which others may wait for. */
  onEvents(): void;
  /** The answer to a statement was lost (see `AttemptRecorderOptions`). */
  onDoubt(): void;
}

/** A row whose attempt is under way. */
interface InFlight {
  row: ClaimedRow;
  queue: DestinationQueue;
  reservation: Reservation;
  /** The final dot is written, or about to be in this turn: only the far side knows whether the message went. */
  committed: boolean;
}

export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #recorder: AttemptRecorder;
  readonly #queues: DestinationQueues;
  readonly #watch: DestinationWatch;
  readonly #backlog: Backlog;
  readonly #poison: PoisonTurn;
  readonly #inFlight = new Set<InFlight>();
  readonly #largeInFlight = new LargeMessages();
  #claiming = false;
  #beginning = 0;
  #pumping = false;
  #stopping = false;
  #mayCommit = true;
  #nextClaimMs = 0;
  #lastClaimMs = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #idle = Promise.withResolvers<void>();

  constructor(options: DeliveryOptions) {
    const { database, lease, provider, logger, onEvents, onDoubt } = options;
    this.#options = options;
    this.#recorder = new AttemptRecorder({ database, lease, provider, logger, onEvents, onDoubt });
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
      await Promise.all(await this.#begin([job]));
    };
    this.#watch = new DestinationWatch({ ...parts, claim, probe });
    this.#backlog = new Backlog({ ...parts, claim, watch: this.#watch });
    this.#poison = new PoisonTurn({
      ...parts,
      logger,
      jobsOf: (rows) => this.#jobs(rows),
      begin: (jobs) => this.#begin(jobs),
    });
    this.#pump();
  }

  /** There may be due rows. */
  readonly wake = (): void => {
    this.#nextClaimMs = 0;
    this.#pump();
  };

  /**
   * Takes nothing more, gives back what was merely claimed, and waits for what is in flight. After the grace what was
   * not handed over is given back too; a wait for the reply to a final dot is left to the lease: giving the row back
   * at once would make a duplicate certain where it is now merely possible. May be called again with a shorter grace.
   * @returns whether anything is left to the lease
   */
  async stop(graceMs: number): Promise<boolean> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    const claimed = [...this.#queues.drain(), ...this.#poison.drain()];
    await this.#recorder.giveBack(claimed.flatMap((job) => job.rows));
    await this.#watch.stop();
    this.#pump();
    await this.#waitForInFlight(graceMs);
    this.#mayCommit = false;
    this.#recorder.close();
    const left = [...this.#inFlight];
    await this.#recorder.giveBack(left.flatMap(({ row, committed }) => (committed ? [] : [row])));
    const waiting = left.flatMap(({ row, committed }) => (committed ? [row] : []));
    await this.#recorder.leave(waiting);
    return waiting.length > 0;
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
      // Rows that are just beginning are in no list yet. After them no others begin.
      if (this.#beginning > 0) continue;
      void this.#recorder.giveBackOthers([...this.#inFlight].map(({ row }) => row));
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
      if (this.#inFlight.size === 0 && this.#beginning === 0 && !this.#claiming) this.#idle.resolve();
      return;
    }
    if (this.#options.lease.holds()) {
      if (this.#options.provider.destinations !== null) {
        this.#backlog.tick();
        this.#watch.tick();
      }
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

  #claimMore(): void {
    if (this.#claiming || this.#options.provider.capacity === 0) return;
    const nowMs = performance.now();
    if (this.#poison.isDue(nowMs)) {
      void this.#claim(() => this.#poison.claim());
    } else if (nowMs >= this.#nextClaimMs && this.#wantsMore(nowMs)) {
      this.#lastClaimMs = nowMs;
      // Set before the statement: a wake that comes while it runs must not be forgotten.
      this.#nextClaimMs = nowMs + POLL_MS;
      void this.#claim(() => this.#claimDue());
    }
  }

  #wantsMore(nowMs: number): boolean {
    if (this.#queues.isFull) return false;
    if (this.#queues.readyRows < CLAIM_ROWS / 2) return true;
    // Backlogs may keep that many ready until they are gone: what is due for others must not wait for it.
    return this.#options.provider.destinations !== null && nowMs - this.#lastClaimMs >= POLL_MS;
  }

  async #claimDue(): Promise<void> {
    const { database, lease } = this.#options;
    const rows = await claimDue(database, lease.leaseId, CLAIM_ROWS);
    if (this.#stopping) {
      await this.#recorder.giveBack(rows);
      return;
    }
    this.#queues.add(this.#jobs(rows));
    const isFull = rows.length === CLAIM_ROWS;
    if (isFull) this.#nextClaimMs = 0;
    if (this.#options.provider.destinations === null) return;
    await this.#backlog.sort();
    if (isFull) await this.#backlog.clearTheWay();
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
    const { destinations } = this.#options.provider;
    return groupJobs(rows, (address) => destinations?.of(address) ?? '');
  }

  #beginMore(): void {
    if (this.#beginning > 0) return;
    const { capacity } = this.#options.provider;
    if (this.#poison.isTaken) {
      if (capacity > 0) void this.#poison.beginWhenDue([...this.#inFlight].map(({ row }) => row));
      return;
    }
    const free = capacity - this.#inFlight.size;
    // A few free places wait for company while others are busy: batches make the commits cheap.
    const worth = this.#inFlight.size === 0 || free >= Math.min(BEGIN_ROWS, capacity) / 4;
    if (!worth) return;
    const mayBegin = this.#largeInFlight.admission(this.#inFlight.size === 0);
    const jobs = this.#queues.take(Math.min(free, BEGIN_ROWS), mayBegin);
    if (jobs.length > 0) void this.#begin(jobs);
  }

  /** Resolves with the attempts that are on their way. */
  async #begin(jobs: readonly Job[]): Promise<Promise<void>[]> {
    this.#beginning += 1;
    // The attempts have reservations of their own.
    const reservations = jobs.map(({ destination, rows }) =>
      this.#queues.get(destination).reserve(rows.length),
    );
    const begun = await this.#markInFlight(jobs);
    this.#beginning -= 1;
    const attempts = begun.map((job) => this.#attemptJob(job));
    for (const reservation of reservations) reservation.release();
    this.#pump();
    return attempts;
  }

  /** The emails that may be worked on now. One that cannot be marked in flight must not keep the others from it. */
  async #markInFlight(jobs: readonly Job[]): Promise<BegunJob[]> {
    const { database, lease } = this.#options;
    try {
      const begun = await beginAttempts(database, lease.leaseId, jobs);
      this.#options.onEvents();
      return begun;
    } catch (error) {
      if (isDatabaseAway(error)) {
        this.#recorder.report(error, 'begin');
        // Whether the commit happened is unknown. Giving back is right in both cases: no work was begun.
        await this.#recorder.giveBack(jobs.flatMap((job) => job.rows));
        return [];
      }
      const [only, ...others] = jobs;
      if (only !== undefined && others.length === 0) {
        await this.#recorder.recordCrash(only.rows, error);
        return [];
      }
      const begun: BegunJob[] = [];
      for (const job of jobs) begun.push(...(await this.#markInFlight([job])));
      return begun;
    }
  }

  /** Composes, then each recipient has a transaction, and an outcome, of its own. */
  async #attemptJob({ job, email, suppressed }: BegunJob): Promise<void> {
    const queue = this.#queues.get(job.destination);
    const begun = job.rows.map(
      (row): InFlight => ({ row, queue, reservation: queue.reserve(1), committed: false }),
    );
    for (const inFlight of begun) this.#inFlight.add(inFlight);
    // Each recipient of a tracked email has a copy: of a large one only some are there at a time.
    const copies = email.tracking === null ? 1 : maxCopies(job);
    const release = this.#largeInFlight.hold(job, copies);
    const unlisted = suppressed.map((row) => this.#recorder.recordSuppressed(row));
    const compose = composerOf(email, this.#options);
    const limit = new Semaphore(email.tracking === null ? begun.length : copies);
    await Promise.all(
      begun.map((inFlight) => limit.run(() => this.#attempt(inFlight, compose, email.traceParent))),
    );
    await Promise.all(unlisted);
    release();
    this.#pump();
  }

  async #attempt(inFlight: InFlight, compose: ComposeFor, traceParent: string | null): Promise<void> {
    const { provider, logger } = this.#options;
    const { row, queue, reservation } = inFlight;
    let observed: ObservedAttempt | null = null;
    try {
      const composed = await compose(row.recipientIndex).finally(() => reservation.handOver());
      const startedMs = performance.now();
      // A destination that was closed meanwhile is not asked.
      if (queue.state.kind !== 'closed') observed = new ObservedAttempt(logger, row, traceParent);
      const outcome = await this.#send(inFlight, composed);
      observed?.answered();
      // After the grace of a stop what was not handed over is given back. What was, is tried again after the lease,
      // unless the answer can still be written down.
      if (!this.#mayCommit && !inFlight.committed) {
        observed?.ended(outcome, null);
        return;
      }
      const waitFor =
        provider.destinations === null
          ? null
          : await this.#watch.afterAttempt(queue, outcome, {
              startedMs,
              mailFromDomain: composed.mailFromDomain,
            });
      await this.#recorder.record(row, outcome, waitFor, observed);
    } catch (error) {
      observed?.broken();
      if (isDatabaseAway(error)) await this.#recorder.giveBack([row]);
      else await this.#recorder.recordCrash([row], error);
    } finally {
      this.#inFlight.delete(inFlight);
      reservation.release();
      this.#pump();
    }
  }

  async #send(inFlight: InFlight, composed: ComposedEmail): Promise<Outcome> {
    const { lease, provider, returnPaths } = this.#options;
    const { row, queue } = inFlight;
    if (queue.state.kind === 'closed')
      return { outcome: 'transient', scope: 'host', reply: queue.state.reply };
    return provider.send({
      ...composed,
      mailFrom: returnPaths.mint(row, composed.mailFromDomain),
      rcptTo: row.address,
      attempt: row.attempts + 1,
      mayCommit: () => {
        inFlight.committed = this.#mayCommit && lease.holds();
        return inFlight.committed;
      },
    });
  }
}
