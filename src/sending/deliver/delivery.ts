/**
 * Delivery during one lease of a worker:
 *
 *   due --claim--> waiting in the destination queue of its destination --begin--> in flight --compose, sign, send--> outcome --record-->
 *   done, due later, or parked for the destination
 *
 * Claimed rows are a short queue in memory, so that the next message is there when a place gets free. Only what is in
 * hand counts a crash if the process dies. A row that was in flight at two crashes begins alone: what does not leave the hand
 * within seconds, because its server is slow, counts no crash any more.
 */
import { isDatabaseAway } from '../../db/database.ts';
import { Semaphore } from '../../model/semaphore.ts';
import { within } from '../../model/within.ts';
import { type ClaimedRow, claimDue, claimPoison, isPoison } from '../../queue/claim.ts';
import { AttemptRecorder, type AttemptRecorderOptions } from './attempt-recorder.ts';
import { Backlog } from './backlog.ts';
import { type BegunJob, beginAttempts, groupJobs, type Job } from './begin-attempts.ts';
import { type ComposedEmail, type ComposeFor, composerOf, type Composing } from './compose-email.ts';
import type { DestinationQueue } from './destination-queue.ts';
import { DestinationQueues } from './destination-queues.ts';
import { LargeMessages, maxCopies } from './large-messages.ts';
import { ObservedAttempt } from './observed-attempt.ts';
import type { Outcome, Provider } from './provider.ts';
import { logTriedAlone } from './recipient-lines.ts';

/** Rows claimed at once. */
const CLAIM_ROWS = 400;
const BEGIN_ROWS = 100;
/** How long a queue that was found empty is left alone when nobody wakes us. */
const POLL_MS = 1_000;
const POISON_POLL_MS = 5_000;
/** What a poison row waits at most for the others to leave the hand, and those then at most for it. */
const POISON_MS = 3_000;
/** The shortest pause between two looks of the timer; a change looks at once. */
const TICK_MS = 50;
/** Until a stop looks what it holds beside what is in flight, for the first time: each pause is twice the last one. */
const FIRST_PAUSE_MS = 1_000;

export interface DeliveryOptions extends AttemptRecorderOptions, Composing {
  provider: Provider;
}

/** A row whose attempt is under way. */
interface InFlight {
  row: ClaimedRow;
  /** The final dot is written, or about to be in this turn: whether the message went is for the far side to say. */
  committed: boolean;
}

export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #recorder: AttemptRecorder;
  readonly #queues: DestinationQueues;
  readonly #backlog: Backlog;
  readonly #inFlight = new Set<InFlight>();
  readonly #largeInFlight = new LargeMessages();
  /** Claimed, and waiting for everything else to leave the hand. */
  #poison: Job | null = null;
  #poisonRuns = false;
  /** When it has waited for long enough. */
  #poisonDueMs = 0;
  #claiming = false;
  #beginning = 0;
  #pumping = false;
  #stopping = false;
  #mayCommit = true;
  #nextClaimMs = 0;
  #lastClaimMs = 0;
  #nextPoisonMs = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #idle = Promise.withResolvers<void>();

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#recorder = new AttemptRecorder(options);
    this.#queues = new DestinationQueues(options.provider.destinations, options.provider.capacity);
    this.#backlog = new Backlog({
      ...options,
      queues: this.#queues,
      recorder: this.#recorder,
      onChange: () => this.#pump(),
      probe: async (job) => {
        await Promise.all(await this.#begin([job]));
      },
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
    const claimed = this.#queues.drain();
    if (this.#poison !== null) claimed.push(this.#poison);
    await this.#recorder.giveBack(claimed.flatMap((job) => job.rows));
    this.#poison = null;
    await this.#backlog.stop();
    this.#pump();
    await this.#emptyFlight(graceMs);
    this.#mayCommit = false;
    this.#recorder.close();
    const left = [...this.#inFlight];
    await this.#recorder.giveBack(left.flatMap(({ row, committed }) => (committed ? [] : [row])));
    const waiting = left.flatMap(({ row, committed }) => (committed ? [row] : []));
    await this.#recorder.leave(waiting);
    return waiting.length > 0;
  }

  /**
   * Waits for what is in flight. What the lease holds beside it must not: rows that could not be given back, and those of
   * a claim whose answer was lost.
   */
  async #emptyFlight(graceMs: number): Promise<void> {
    const endMs = performance.now() + graceMs;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
      const leftMs = endMs - performance.now();
      const isEmpty = await within(
        Math.min(pauseMs, leftMs),
        this.#idle.promise.then(() => true),
        false,
      );
      if (isEmpty || leftMs <= pauseMs) return;
      // Of rows that are being begun nobody knows yet. From here on there are no others.
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
      if (this.#options.provider.destinations !== null) this.#backlog.tick();
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
    const { provider, database, lease } = this.#options;
    if (this.#claiming || provider.capacity === 0) return;
    const nowMs = performance.now();
    if (nowMs >= this.#nextPoisonMs && this.#poison === null && !this.#poisonRuns) {
      this.#nextPoisonMs = nowMs + POISON_POLL_MS;
      void this.#claim(async () => {
        const row = await claimPoison(database, lease.leaseId);
        if (row === null) return;
        if (this.#stopping) await this.#recorder.giveBack([row]);
        else [this.#poison = null] = this.#jobs([row]);
        this.#nextPoisonMs = 0;
        this.#poisonDueMs = performance.now() + POISON_MS;
      });
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
    if (this.#beginning > 0 || this.#poisonRuns) return;
    const { capacity } = this.#options.provider;
    if (this.#poison !== null) {
      const isDue = this.#inFlight.size === 0 || performance.now() >= this.#poisonDueMs;
      if (isDue && capacity > 0) void this.#beginPoison(this.#poison);
      return;
    }
    const slots = capacity - this.#inFlight.size;
    // A few free places wait for company while others are busy: batches make the commits cheap.
    const worth = this.#inFlight.size === 0 || slots >= Math.min(BEGIN_ROWS, capacity) / 4;
    if (!worth) return;
    const mayBegin = this.#largeInFlight.admission(this.#inFlight.size === 0);
    const jobs = this.#queues.take(Math.min(slots, BEGIN_ROWS), mayBegin);
    if (jobs.length > 0) void this.#begin(jobs);
  }

  async #beginPoison(job: Job): Promise<void> {
    this.#poison = null;
    this.#poisonRuns = true;
    // Those that wait for a slow server are not to blame for what happens now.
    const others = [...this.#inFlight].flatMap(({ row }) => (isPoison(row) ? [] : [row]));
    await this.#recorder.leave(others);
    if (this.#stopping) {
      await this.#recorder.giveBack(job.rows);
      return;
    }
    for (const row of job.rows) logTriedAlone(this.#options.logger, row);
    const attempts = await this.#begin([job]);
    await Promise.race([
      Promise.all(attempts),
      new Promise((resolve) => {
        setTimeout(resolve, POISON_MS).unref();
      }),
    ]);
    this.#poisonRuns = false;
    this.#pump();
  }

  /** Resolves with the attempts that are on their way. */
  async #begin(jobs: Job[]): Promise<Promise<void>[]> {
    this.#beginning += 1;
    const queues = jobs.map((job) => ({ queue: this.#queues.get(job.destination), rows: job.rows.length }));
    for (const { queue, rows } of queues) this.#count(queue, rows);
    const begun = await this.#takeInFlight(jobs);
    this.#beginning -= 1;
    const attempts = begun.map((job) => this.#attemptJob(job));
    for (const { queue, rows } of queues) this.#count(queue, -rows);
    this.#pump();
    return attempts;
  }

  /** Rows of a destination queue that the provider does not know of yet. */
  #count(queue: DestinationQueue, rows: number): void {
    queue.coming += rows;
    queue.inFlight += rows;
  }

  /** The emails that may be worked on now. One that cannot be marked in flight must not keep the others from it. */
  async #takeInFlight(jobs: Job[]): Promise<BegunJob[]> {
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
      for (const job of jobs) begun.push(...(await this.#takeInFlight([job])));
      return begun;
    }
  }

  /** Composes, then each recipient has a transaction, and an outcome, of its own. */
  async #attemptJob({ job, email, suppressed }: BegunJob): Promise<void> {
    const queue = this.#queues.get(job.destination);
    const hands = job.rows.map((row): InFlight => ({ row, committed: false }));
    for (const hand of hands) this.#inFlight.add(hand);
    // Each recipient of a tracked email has a copy: of a large one only some are there at a time.
    const copies = email.tracking === null ? 1 : maxCopies(job);
    const release = this.#largeInFlight.hold(job, copies);
    this.#count(queue, hands.length);
    const unlisted = suppressed.map((row) => this.#recorder.recordSuppressed(row));
    const compose = composerOf(email, this.#options);
    const turns = new Semaphore(email.tracking === null ? hands.length : copies);
    await Promise.all(
      hands.map((hand) => turns.run(() => this.#attempt(queue, hand, compose, email.traceParent))),
    );
    await Promise.all(unlisted);
    release();
    this.#pump();
  }

  async #attempt(
    queue: DestinationQueue,
    hand: InFlight,
    compose: ComposeFor,
    traceParent: string | null,
  ): Promise<void> {
    let observed: ObservedAttempt | null = null;
    try {
      const composed = await compose(hand.row.recipientIndex).finally(() => {
        queue.coming -= 1;
      });
      const startedMs = performance.now();
      // Of a destination that has closed meanwhile nobody is asked.
      if (queue.state.kind !== 'closed')
        observed = new ObservedAttempt(this.#options.logger, hand.row, traceParent);
      const outcome = await this.#send(queue, hand, composed);
      observed?.answered();
      // After the grace of a stop what was not handed over is given back. What was, is tried again after the lease,
      // unless the answer can still be written down.
      if (!this.#mayCommit && !hand.committed) {
        observed?.ended(outcome, null);
        return;
      }
      const waitFor =
        this.#options.provider.destinations === null
          ? null
          : await this.#backlog.afterAttempt(queue, outcome, {
              startedMs,
              mailFromDomain: composed.mailFromDomain,
            });
      await this.#recorder.record(hand.row, outcome, waitFor, observed);
    } catch (error) {
      observed?.broken();
      if (isDatabaseAway(error)) await this.#recorder.giveBack([hand.row]);
      else await this.#recorder.recordCrash([hand.row], error);
    } finally {
      this.#release(queue, hand);
      this.#pump();
    }
  }

  async #send(queue: DestinationQueue, hand: InFlight, composed: ComposedEmail): Promise<Outcome> {
    const { lease, provider, returnPaths } = this.#options;
    const { row } = hand;
    if (queue.state.kind === 'closed') {
      return { outcome: 'transient', scope: 'host', reply: queue.state.reply };
    }
    return provider.send({
      ...composed,
      mailFrom: returnPaths.mint(row, composed.mailFromDomain),
      rcptTo: row.address,
      attempt: row.attempts + 1,
      mayCommit: () => {
        // protection: lease asked
        hand.committed = this.#mayCommit && lease.holds();
        return hand.committed;
      },
    });
  }

  #release(queue: DestinationQueue, hand: InFlight): void {
    if (this.#inFlight.delete(hand)) queue.inFlight -= 1;
  }
}
