import { FIRST_STREAM } from '../../queue/fair-shares.ts';
import { DestinationAvailability } from './destination-state.ts';
import type { Job } from './job.ts';
import type { AttemptReply } from './provider.ts';
import { type Line, WaitingJobs } from './waiting-jobs.ts';

/** A destination that has not answered for so long is no different from one that never did. */
const SILENT_AFTER_MS = 30_000;
/** An idle queue is forgotten after this. */
const IDLE_MS = 60_000;

/** Rows that count as in flight until they are released. Each of its methods may be called again. */
export interface Reservation {
  /** From here on the provider counts the rows, or nobody does any more. */
  handOver(): void;
  release(): void;
}

/**
 * The mail of one destination in a worker: jobs that wait until the destination has capacity for them, what is in flight, and
 * what the worker knows of the destination.
 */
export class DestinationQueue extends DestinationAvailability {
  readonly waiting = new WaitingJobs();
  #hasBacklog = false;
  #isRefilling = false;
  #refilledMs = performance.now();
  #inFlight = 0;
  #coming = 0;
  /** On the clock of `performance.now`: when the destination last took or refused a message of its own accord. */
  #lastAnswerMs = Number.NEGATIVE_INFINITY;
  #lastUsedMs = performance.now();
  /** Rows in flight of each project. */
  readonly #inFlightOf = new Map<string, number>();

  /** Rows that are begun, or whose attempt is under way. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Those of them that the provider does not know of yet. */
  get coming(): number {
    return this.#coming;
  }

  /** Whether rows that are parked for it may be claimed now. */
  get mayRefill(): boolean {
    return this.#hasBacklog && !this.#isRefilling && this.state.kind === 'open';
  }

  override close(failures: number, delayMs: number, reply: AttemptReply): void {
    super.close(failures, delayMs, reply);
    this.#hasBacklog = false;
  }

  /** The destination took or refused a message of its own accord. */
  answered(): void {
    this.#lastAnswerMs = performance.now();
  }

  /** @param sinceMs on the clock of `performance.now` */
  hasAnsweredSince(sinceMs: number): boolean {
    return this.#lastAnswerMs > sinceMs;
  }

  /** How long ago the destination last answered. */
  silentMs(nowMs: number): number {
    return nowMs - this.#lastAnswerMs;
  }

  /** Whether the destination has not answered of late. */
  isSilent(nowMs: number): boolean {
    return this.silentMs(nowMs) >= SILENT_AFTER_MS;
  }

  /** Rows are about to be parked for it. */
  expectBacklog(): void {
    this.#hasBacklog = true;
  }

  /** Nothing is parked for it any more, as far as this worker knows. */
  backlogClaimed(): void {
    this.#hasBacklog = false;
  }

  /** Whose parked rows were claimed last: a refill takes few, and goes on behind them. */
  lastTurn = FIRST_STREAM;

  /** When parked rows were last claimed for it. */
  get refilledMs(): number {
    return this.#refilledMs;
  }

  /** Nobody else claims parked rows while `claim` does. */
  async refill(claim: () => Promise<void>): Promise<void> {
    this.#isRefilling = true;
    this.#refilledMs = performance.now();
    try {
      await claim();
    } finally {
      this.#isRefilling = false;
    }
  }

  /** How many of those in flight each project has. */
  get inFlightOf(): Iterable<[projectId: string, rows: number]> {
    return this.#inFlightOf;
  }

  /** Rows of a project that are begun now. */
  reserve(projectId: string, rows: number): Reservation {
    let coming = rows;
    let inFlight = rows;
    this.#coming += rows;
    this.#count(projectId, rows);
    const handOver = (): void => {
      this.#coming -= coming;
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

  /** Whether nothing is lost when the queue is forgotten: what there is to know of it is in the database. */
  isForgettable(nowMs: number): boolean {
    const isIdle = this.waiting.rows === 0 && this.#inFlight === 0 && !this.#isRefilling;
    const { kind } = this.state;
    const isNeeded = kind === 'probing' || (kind === 'open' && this.#hasBacklog);
    return isIdle && !isNeeded && nowMs - this.#lastUsedMs > IDLE_MS;
  }
}
