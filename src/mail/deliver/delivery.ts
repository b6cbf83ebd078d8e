/**
 * Delivery during one life of a worker:
 *
 *   due --claim--> claimed --begin--> in hand --compose, sign, send--> outcome --complete--> done or due later
 *
 * Claimed rows are a short queue in memory, so that the next message is there when a slot gets free. Only what is in
 * hand counts a crash if the process dies. A row that was in hand at two crashes runs with nothing else in hand.
 */
import type { Logger } from 'pino';
import { type Database, isDatabaseAway } from '../../db/database.ts';
import { GroupCommit } from '../../db/group-commit.ts';
import type { DkimKeyring } from '../../domains/dkim-keyring.ts';
import { timeOf } from '../../model/ids.ts';
import { type ClaimedRow, claimDue, claimSuspect } from '../../queue/claim.ts';
import { MAX_CRASHES } from '../../queue/end-life.ts';
import { LeaseLost, type Life } from '../../queue/life.ts';
import { leaveToLease, release } from '../../queue/settle.ts';
import { beginAttempts, groupByEmail, type Job, type StoredEmail } from './begin-attempts.ts';
import { completeAttempts, type FinishedAttempt } from './complete-attempts.ts';
import { composeEmail } from './compose-email.ts';
import { consequenceOf, failedInternally } from './outcome-events.ts';
import type { Outcome, Provider } from './provider.ts';

/** Rows held in memory ahead of the slots. */
const CLAIM_ROWS = 200;
const BEGIN_JOBS = 50;
/** Nothing more is taken in hand while the messages in hand are larger than this together. */
const IN_HAND_BYTES = 64 * 1024 * 1024;
/** How long a queue that was found empty is left alone when nobody wakes us. */
const POLL_MS = 1_000;
const SUSPECT_POLL_MS = 5_000;
/** How long a failed statement waits before it is tried again. */
const DATABASE_RETRY_MS = 250;
/** An attempt that failed in our own code is tried again after this. */
const CRASH_RETRY_MS = 30_000;

export interface DeliveryOptions {
  database: Database;
  life: Life;
  provider: Provider;
  keyring: DkimKeyring;
  logger: Logger;
}

interface InHand {
  job: Job;
  bytes: number;
  /** The final dot is written, or about to be in this turn: whether the message went is for the far side to say. */
  committed: boolean;
}

export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #complete: GroupCommit<FinishedAttempt, boolean>;
  readonly #claimed: Job[] = [];
  readonly #inHand = new Set<InHand>();
  #inHandBytes = 0;
  #suspect: Job | null = null;
  #claiming = false;
  #beginning = false;
  #stopping = false;
  #mayMore = true;
  #nextClaimMs = 0;
  #nextSuspectMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #idle: (() => void) | undefined;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#complete = new GroupCommit({
      flush: (batch) => completeAttempts(options.database, options.life, batch),
      flights: 1,
      maxItems: 100,
    });
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
   * at once would make a duplicate certain where it is now merely possible.
   * @returns whether anything is left to the lease
   */
  async stop(graceMs: number): Promise<boolean> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    const claimed = this.#claimed.splice(0);
    if (this.#suspect !== null) claimed.push(this.#suspect);
    await this.#giveBack(claimed.flatMap((job) => job.rows));
    if (this.#inHand.size > 0 || this.#beginning || this.#claiming) {
      await Promise.race([
        new Promise<void>((resolve) => {
          this.#idle = resolve;
        }),
        new Promise<void>((resolve) => {
          setTimeout(resolve, graceMs).unref();
        }),
      ]);
    }
    this.#mayMore = false;
    const left = [...this.#inHand];
    await this.#giveBack(left.flatMap(({ job, committed }) => (committed ? [] : job.rows)));
    const waiting = left.flatMap(({ job, committed }) => (committed ? job.rows : []));
    await leaveToLease(this.#options.database, this.#options.life.epoch, waiting).catch(() => {});
    return waiting.length > 0;
  }

  /** Moves whatever can move. Cheap to call, and called at every change. */
  #pump(): void {
    if (this.#stopping) {
      if (this.#inHand.size === 0 && !this.#beginning && !this.#claiming) this.#idle?.();
      return;
    }
    if (!this.#options.life.holds()) {
      this.#schedule(DATABASE_RETRY_MS);
      return;
    }
    const now = performance.now();
    const held = this.#claimed.length + this.#inHand.size;
    if (!this.#claiming && this.#options.provider.capacity > 0 && this.#claimed.length < CLAIM_ROWS / 2) {
      if (now >= this.#nextSuspectMs && this.#suspect === null) void this.#claimOneSuspect();
      else if (now >= this.#nextClaimMs)
        void this.#claim(held === 0 ? CLAIM_ROWS : CLAIM_ROWS - this.#claimed.length);
    }
    if (!this.#beginning) this.#beginSome();
    this.#schedule(Math.max(Math.min(this.#nextClaimMs - now, POLL_MS), 50));
  }

  #schedule(delayMs: number): void {
    if (this.#timer !== undefined || this.#stopping) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#pump();
    }, delayMs);
  }

  async #claim(limit: number): Promise<void> {
    const { database, life } = this.#options;
    this.#claiming = true;
    // Set before the statement: a wake that comes while it runs must not be forgotten.
    this.#nextClaimMs = performance.now() + POLL_MS;
    try {
      const rows = await claimDue(database, life.epoch, limit);
      if (rows.length === limit) this.#nextClaimMs = 0;
      if (this.#stopping) await this.#giveBack(rows);
      else this.#claimed.push(...groupByEmail(rows));
    } catch (error) {
      this.#report(error, 'claim');
    }
    this.#claiming = false;
    this.#pump();
  }

  async #claimOneSuspect(): Promise<void> {
    const { database, life } = this.#options;
    this.#claiming = true;
    this.#nextSuspectMs = performance.now() + SUSPECT_POLL_MS;
    try {
      const row = await claimSuspect(database, life.epoch);
      if (row !== null) {
        this.#nextSuspectMs = 0;
        if (this.#stopping) await this.#giveBack([row]);
        else this.#suspect = groupByEmail([row])[0] ?? null;
      }
    } catch (error) {
      this.#report(error, 'claim');
    }
    this.#claiming = false;
    this.#pump();
  }

  #beginSome(): void {
    if (this.#suspect !== null) {
      if (this.#inHand.size > 0 || this.#options.provider.capacity === 0) return;
      const suspect = this.#suspect;
      void this.#begin([suspect]).finally(() => {
        this.#suspect = null;
        this.#pump();
      });
      return;
    }
    const { capacity } = this.#options.provider;
    const slots = capacity - this.#inHand.size;
    // A few free slots wait for company while others are busy: batches make the commits cheap.
    const worth = this.#inHand.size === 0 || slots >= Math.min(BEGIN_JOBS, capacity) / 4;
    if (slots <= 0 || !worth || this.#claimed.length === 0 || this.#inHandBytes > IN_HAND_BYTES) return;
    void this.#begin(this.#claimed.splice(0, Math.min(slots, BEGIN_JOBS)));
  }

  /** Resolves when the attempts are on their way; for a suspect, which runs alone, when its attempt is over. */
  async #begin(jobs: Job[]): Promise<void> {
    const { database, life } = this.#options;
    this.#beginning = true;
    let emails: Map<string, StoredEmail>;
    try {
      emails = await beginAttempts(database, life, jobs);
    } catch (error) {
      this.#report(error, 'begin');
      // Whether the commit happened is unknown. Giving back is right in both cases: no work was begun.
      if (!(error instanceof LeaseLost)) await this.#giveBack(jobs.flatMap((job) => job.rows));
      this.#beginning = false;
      return;
    }
    const attempts = jobs.map((job) => this.#attempt(job, emails.get(job.emailId)));
    this.#beginning = false;
    if (jobs[0] === this.#suspect) await Promise.all(attempts);
    else this.#pump();
  }

  async #attempt(job: Job, email: StoredEmail | undefined): Promise<void> {
    const hand: InHand = {
      job,
      bytes: (email?.html?.length ?? 0) + (email?.text?.length ?? 0),
      committed: false,
    };
    this.#inHand.add(hand);
    this.#inHandBytes += hand.bytes;
    try {
      if (email === undefined) throw new Error('a recipient without an email');
      const outcomes = await this.#send(hand, email);
      if (this.#mayMore) await this.#record(job, outcomes);
    } catch (error) {
      if (isDatabaseAway(error)) await this.#giveBack(job.rows);
      else await this.#recordCrash(job, error);
    }
    this.#inHand.delete(hand);
    this.#inHandBytes -= hand.bytes;
    this.#pump();
  }

  async #send(hand: InHand, email: StoredEmail): Promise<Outcome[]> {
    const { life, keyring, provider } = this.#options;
    const message = await composeEmail(email, hand.job, keyring, () => {
      hand.committed = this.#mayMore && life.holds();
      return hand.committed;
    });
    return provider.send(message);
  }

  async #record(job: Job, outcomes: readonly Outcome[]): Promise<void> {
    const abandoned: ClaimedRow[] = [];
    const finished: FinishedAttempt = { job, rows: [], events: [] };
    const nowMs = Date.now();
    job.rows.forEach((row, at) => {
      const outcome = outcomes[at];
      if (outcome === undefined) throw new Error('the provider gave too few outcomes');
      if (outcome.outcome === 'abandoned') {
        abandoned.push(row);
        return;
      }
      const { settlement, events } = consequenceOf(outcome, {
        n: row.n,
        address: row.address,
        attempt: row.attempts + 1,
        ageMs: nowMs - timeOf(job.emailId).getTime(),
        nowMs,
        jitter: Math.random(),
      });
      finished.rows.push({ projectId: job.projectId, emailId: job.emailId, n: row.n, settlement });
      finished.events.push(...events);
    });
    // Where the life is over this changes nothing; where only time had passed the rows are free again.
    await this.#giveBack(abandoned);
    if (finished.rows.length > 0) await this.#commit(finished);
  }

  /** An exception in our own code: the fifth in a row gives the message up, as five crashes would. */
  async #recordCrash(job: Job, error: unknown): Promise<void> {
    this.#options.logger.error({ err: error, emailId: job.emailId }, 'an attempt failed in our own code');
    const rows = job.rows.map((row) => ({ row, givenUp: row.crashes + 1 >= MAX_CRASHES }));
    await this.#commit({
      job,
      rows: rows.map(({ row, givenUp }) => ({
        projectId: job.projectId,
        emailId: job.emailId,
        n: row.n,
        settlement: givenUp ? { kind: 'done' } : { kind: 'crashed', delayMs: CRASH_RETRY_MS },
      })),
      events: rows.flatMap(({ row, givenUp }) => (givenUp ? [failedInternally(row)] : [])),
    });
  }

  /** Until it is written or the lease is gone: what the far side said must not be forgotten while the database is away. */
  async #commit(finished: FinishedAttempt): Promise<void> {
    for (;;) {
      try {
        await this.#complete.add(finished);
        return;
      } catch (error) {
        this.#report(error, 'complete');
        if (this.#options.life.lost || !this.#mayMore) return;
        await pause(DATABASE_RETRY_MS);
      }
    }
  }

  async #giveBack(rows: readonly ClaimedRow[]): Promise<void> {
    for (;;) {
      try {
        await release(this.#options.database, this.#options.life.epoch, rows);
        return;
      } catch (error) {
        this.#report(error, 'release');
        if (this.#options.life.lost || this.#stopping) return;
        await pause(DATABASE_RETRY_MS);
      }
    }
  }

  #report(error: unknown, step: string): void {
    if (isDatabaseAway(error) || error instanceof LeaseLost) {
      this.#options.logger.debug({ err: error, step }, 'the queue could not be written');
    } else {
      this.#options.logger.error({ err: error, step }, 'the queue could not be written');
    }
  }
}

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, delayMs);
  });
}
