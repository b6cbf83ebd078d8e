import { FIRST_STREAM } from '../../queue/fair-shares.ts';
import { DestinationAvailability } from './destination-state.ts';
import type { Job } from './job.ts';
import type { AttemptReply } from './provider.ts';
import { type Line, WaitingJobs } from './waiting-jobs.ts';

/** A destination that has not replied for this long counts as silent. */
const SILENT_AFTER_MS = 30_000;
/** A queue that was idle for this long is dropped. */
const IDLE_MS = 60_000;

/** Rows that count as in flight until they are released. Calling a method again has no effect. */
export interface Reservation {
  /** Ends the preparation of the rows: from now on the provider counts the rows itself, or the rows are not sent. */
  handOver(): void;
  release(): void;
}

/**
 * The mail of one destination in a worker: waiting jobs, rows in flight, and the state of the destination as far as the worker knows it.
 */
export class DestinationQueue extends DestinationAvailability {
  readonly waiting = new WaitingJobs();
  #hasBacklog = false;
  #isRefilling = false;
  #refilledMs = Number.NEGATIVE_INFINITY;
  #inFlight = 0;
  #preparing = 0;
  /** When the destination last replied to a message by accepting or rejecting it, on the clock of `performance.now`. */
  #lastAnswerMs = Number.NEGATIVE_INFINITY;
  #lastUsedMs = performance.now();
  readonly #inFlightOf = new Map<string, number>();

  /** The number of rows that are beginning or have a running attempt. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** The number of rows in flight that have not been handed to the provider. */
  get preparing(): number {
    return this.#preparing;
  }

  /** Whether parked rows of the destination may be claimed now. */
  get mayRefill(): boolean {
    return this.#hasBacklog && !this.#isRefilling && this.state.kind === 'open';
  }

  override close(failures: number, delayMs: number, reply: AttemptReply): void {
    super.close(failures, delayMs, reply);
    this.#hasBacklog = false;
  }

  /** Called when the destination has replied to a message by accepting or rejecting it. */
  answered(): void {
    this.#lastAnswerMs = performance.now();
  }

  /** @param sinceMs a time on the clock of `performance.now` */
  hasAnsweredSince(sinceMs: number): boolean {
    return this.#lastAnswerMs > sinceMs;
  }

  /** Milliseconds since the destination last replied to a message. */
  silentMs(nowMs: number): number {
    return nowMs - this.#lastAnswerMs;
  }

  /** Whether the destination has not replied to a message recently. */
  isSilent(nowMs: number): boolean {
    return this.silentMs(nowMs) >= SILENT_AFTER_MS;
  }

  /** Called before rows of the destination are parked. */
  expectBacklog(): void {
    this.#hasBacklog = true;
  }

  /** Called when, as far as this worker knows, no rows are parked for the destination any more. */
  backlogClaimed(): void {
    this.#hasBacklog = false;
  }

  /** The stream whose parked rows were claimed last. The next refill continues after this stream. */
  lastServed = FIRST_STREAM;

  /** When this worker last claimed parked rows of the destination, on the clock of `performance.now`. Negative infinity if never. */
  get refilledMs(): number {
    return this.#refilledMs;
  }

  /** Runs `claim` while no other refill of this queue runs. */
  async refill(claim: () => Promise<void>): Promise<void> {
    this.#isRefilling = true;
    this.#refilledMs = performance.now();
    try {
      await claim();
    } finally {
      this.#isRefilling = false;
    }
  }

  /** The number of rows in flight, by project. */
  get inFlightOf(): Iterable<[projectId: string, rows: number]> {
    return this.#inFlightOf;
  }

  /** Reserves capacity for rows of a project that are beginning. */
  reserve(projectId: string, rows: number): Reservation {
    let coming = rows;
    let inFlight = rows;
    this.#preparing += rows;
    this.#count(projectId, rows);
    const handOver = (): void => {
      this.#preparing -= coming;
      coming = 0;
    };
    const release = (): void => {
      handOver();
      this.#count(projectId, -inFlight);
      inFlight = 0;
    };
    return { handOver, release };
  }

  #count(projectId: string, rows: number): void {
    this.#inFlight += rows;
    const left = (this.#inFlightOf.get(projectId) ?? 0) + rows;
    if (left > 0) this.#inFlightOf.set(projectId, left);
    else this.#inFlightOf.delete(projectId);
  }

  add(job: Job): Line {
    this.#lastUsedMs = performance.now();
    return this.waiting.add(job);
  }

  /** Whether the queue can be dropped without losing information that is not in the database. */
  isForgettable(nowMs: number): boolean {
    const isIdle = this.waiting.rows === 0 && this.#inFlight === 0 && !this.#isRefilling;
    const { kind } = this.state;
    const isNeeded = kind === 'probing' || (kind === 'open' && this.#hasBacklog);
    return isIdle && !isNeeded && nowMs - this.#lastUsedMs > IDLE_MS;
  }
}
