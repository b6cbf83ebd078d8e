/**
 * Delivery during one life of a worker:
 *
 *   due --claim--> claimed --begin--> in hand --compose, sign, send--> outcome --record--> done or due later
 *
 * Claimed rows are a short queue in memory, so that the next message is there when a slot gets free. Only what is in
 * hand counts a crash if the process dies. A row that was in hand at two crashes runs with nothing else in hand.
 */
import { isDatabaseAway } from '../../db/database.ts';
import type { DkimKeyring } from '../../domains/dkim-keyring.ts';
import { type ClaimedRow, claimDue, claimSuspect } from '../../queue/claim.ts';
import { AttemptRecorder, type AttemptRecorderOptions } from './attempt-recorder.ts';
import { type BegunJob, beginAttempts, groupByEmail, type Job, type StoredEmail } from './begin-attempts.ts';
import { composeEmail } from './compose-email.ts';
import type { Outcome, Provider } from './provider.ts';

/** Rows held in memory ahead of the slots. */
const CLAIM_ROWS = 400;
const BEGIN_JOBS = 100;
/** The messages in hand are no larger than this together, unless one alone is. */
const IN_HAND_OCTETS = 32 * 1024 * 1024;
/** How long a queue that was found empty is left alone when nobody wakes us. */
const POLL_MS = 1_000;
const SUSPECT_POLL_MS = 5_000;
/** The shortest pause between two looks of the timer; a change looks at once. */
const TICK_MS = 50;

export interface DeliveryOptions extends AttemptRecorderOptions {
  provider: Provider;
  keyring: DkimKeyring;
}

interface InHand {
  job: Job;
  /** The final dot is written, or about to be in this turn: whether the message went is for the far side to say. */
  committed: boolean;
}

export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #recorder: AttemptRecorder;
  readonly #claimed: Job[] = [];
  readonly #inHand = new Set<InHand>();
  #inHandOctets = 0;
  /** Claimed, and waiting for everything else to leave the hand. */
  #suspect: Job | null = null;
  #suspectRuns = false;
  #claiming = false;
  #beginning = false;
  #stopping = false;
  #mayCommit = true;
  #nextClaimMs = 0;
  #nextSuspectMs = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #idle = Promise.withResolvers<void>();

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#recorder = new AttemptRecorder(options);
    this.#pump();
  }

  /** There may be due rows. */
  readonly wake = (): void => {
    this.#nextClaimMs = 0;
    this.#pump();
  };

  /**
   * Takes nothing more, gives back what was merely claimed, and waits for what is in hand. After the grace what was
   * not handed over is given back too; a wait for the reply to a final dot is left to the lease: giving the row back
   * at once would make a duplicate certain where it is now merely possible. May be called again with a shorter grace.
   * @returns whether anything is left to the lease
   */
  async stop(graceMs: number): Promise<boolean> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    const claimed = this.#claimed.splice(0);
    if (this.#suspect !== null) claimed.push(this.#suspect);
    await this.#recorder.giveBack(claimed.flatMap((job) => job.rows));
    this.#suspect = null;
    this.#pump();
    await Promise.race([
      this.#idle.promise,
      new Promise<void>((resolve) => {
        setTimeout(resolve, graceMs).unref();
      }),
    ]);
    this.#mayCommit = false;
    this.#recorder.close();
    const left = [...this.#inHand];
    await this.#recorder.giveBack(left.flatMap(({ job, committed }) => (committed ? [] : job.rows)));
    const waiting = left.flatMap(({ job, committed }) => (committed ? job.rows : []));
    await this.#recorder.leave(waiting);
    return waiting.length > 0;
  }

  /** Moves whatever can move. Cheap to call, and called at every change. */
  #pump(): void {
    if (this.#stopping) {
      if (this.#inHand.size === 0 && !this.#beginning && !this.#claiming) this.#idle.resolve();
      return;
    }
    if (this.#options.life.holds()) {
      this.#claimMore();
      this.#beginMore();
    }
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        this.#pump();
      },
      Math.max(Math.min(this.#nextClaimMs - performance.now(), POLL_MS), TICK_MS),
    );
  }

  #claimMore(): void {
    const { provider, database, life } = this.#options;
    if (this.#claiming || provider.capacity === 0 || this.#claimed.length >= CLAIM_ROWS / 2) return;
    const nowMs = performance.now();
    if (nowMs >= this.#nextSuspectMs && this.#suspect === null && !this.#suspectRuns) {
      this.#nextSuspectMs = nowMs + SUSPECT_POLL_MS;
      void this.#claim(async () => {
        const row = await claimSuspect(database, life.epoch);
        if (row !== null && !this.#stopping) {
          this.#suspect = { projectId: row.projectId, emailId: row.emailId, rows: [row] };
          this.#nextSuspectMs = 0;
        }
        return row === null ? [] : [row];
      });
    } else if (nowMs >= this.#nextClaimMs) {
      const limit = CLAIM_ROWS - this.#claimed.length;
      // Set before the statement: a wake that comes while it runs must not be forgotten.
      this.#nextClaimMs = nowMs + POLL_MS;
      void this.#claim(async () => {
        const rows = await claimDue(database, life.epoch, limit);
        if (rows.length === limit) this.#nextClaimMs = 0;
        if (!this.#stopping) this.#claimed.push(...groupByEmail(rows));
        return rows;
      });
    }
  }

  async #claim(claim: () => Promise<ClaimedRow[]>): Promise<void> {
    this.#claiming = true;
    try {
      const rows = await claim();
      if (this.#stopping) await this.#recorder.giveBack(rows);
    } catch (error) {
      this.#recorder.report(error, 'claim');
      // It may have been committed: then this life holds rows that it does not know of.
      this.#options.onDoubt();
    }
    this.#claiming = false;
    this.#pump();
  }

  #beginMore(): void {
    if (this.#beginning || this.#suspectRuns) return;
    const { capacity } = this.#options.provider;
    if (this.#suspect !== null) {
      if (this.#inHand.size === 0 && capacity > 0) void this.#beginSuspect(this.#suspect);
      return;
    }
    const slots = capacity - this.#inHand.size;
    // A few free slots wait for company while others are busy: batches make the commits cheap.
    const worth = this.#inHand.size === 0 || slots >= Math.min(BEGIN_JOBS, capacity) / 4;
    if (!worth) return;
    let octets = this.#inHandOctets;
    const tooMuch = this.#claimed.findIndex((job, at) => {
      octets += octetsOf(job);
      return at >= Math.min(slots, BEGIN_JOBS) || (octets > IN_HAND_OCTETS && at + this.#inHand.size > 0);
    });
    const jobs = this.#claimed.splice(0, tooMuch === -1 ? this.#claimed.length : tooMuch);
    if (jobs.length > 0) void this.#begin(jobs);
  }

  async #beginSuspect(job: Job): Promise<void> {
    this.#suspect = null;
    this.#suspectRuns = true;
    await Promise.all(await this.#begin([job]));
    this.#suspectRuns = false;
    this.#pump();
  }

  /** Resolves with the attempts that are on their way. */
  async #begin(jobs: Job[]): Promise<Promise<void>[]> {
    this.#beginning = true;
    const begun = await this.#takeInHand(jobs);
    this.#beginning = false;
    const attempts = begun.map(({ job, email }) => this.#attempt(job, email));
    this.#pump();
    return attempts;
  }

  /** The emails that may be worked on now. One that cannot be taken in hand must not keep the others from it. */
  async #takeInHand(jobs: Job[]): Promise<BegunJob[]> {
    const { database, life } = this.#options;
    try {
      const begun = await beginAttempts(database, life.epoch, jobs);
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
        await this.#recorder.recordCrash(only, error);
        return [];
      }
      const begun: BegunJob[] = [];
      for (const job of jobs) begun.push(...(await this.#takeInHand([job])));
      return begun;
    }
  }

  async #attempt(job: Job, email: StoredEmail): Promise<void> {
    const hand: InHand = { job, committed: false };
    this.#inHand.add(hand);
    this.#inHandOctets += octetsOf(job);
    try {
      const outcomes = await this.#send(hand, email);
      // After the grace of a stop what is left in hand was given back, or is left to the lease.
      if (this.#mayCommit) await this.#recorder.record(job, outcomes);
    } catch (error) {
      if (isDatabaseAway(error)) await this.#recorder.giveBack(job.rows);
      else await this.#recorder.recordCrash(job, error);
    }
    this.#inHand.delete(hand);
    this.#inHandOctets -= octetsOf(job);
    this.#pump();
  }

  async #send(hand: InHand, email: StoredEmail): Promise<Outcome[]> {
    const { life, keyring, provider } = this.#options;
    const message = await composeEmail(email, hand.job, keyring, () => {
      hand.committed = this.#mayCommit && life.holds();
      return hand.committed;
    });
    return await provider.send(message);
  }
}

function octetsOf(job: Job): number {
  return job.rows[0]?.octets ?? 0;
}
