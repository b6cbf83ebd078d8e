/**
 * Claimed jobs by destination, so that mail for one destination waits for no other's. Where all mail goes one way there
 * is one queue.
 */
import { DestinationQueue } from './destination-queue.ts';
import type { Job } from './job.ts';
import type { Destinations } from './provider.ts';

/** Rows that wait in memory for all destinations together, about. */
const MAX_WAITING = 4_000;
/** With thousands of destinations even a few rows of each are more: beyond this nothing is claimed. */
const FULL_WAITING = 20_000;
const MAX_WAITING_OF_QUEUE = 400;
const MIN_WAITING_OF_QUEUE = 4;
/**
 * What silent destinations may have in flight together, as a share of all: servers that keep silent for minutes must not
 * take up every place, whoever sends them mail. In direct delivery this also leaves connections to the others.
 */
const SILENT_SHARE = 0.4;
/** What one queue takes at its turn. */
const TURN_ROWS = 25;

/** What is looked up once, before the queues are looked at one by one. */
interface Moment {
  nowMs: number;
  /** How many more rows may be begun for silent destinations. */
  silentCapacity: number;
}

export class DestinationQueues {
  readonly #destinations: Destinations | null;
  readonly #maxSilent: number;
  readonly #queues = new Map<string, DestinationQueue>();
  /** Queues with jobs that wait, in the order of their turns. */
  readonly #waiting = new Set<DestinationQueue>();

  /** @param capacity rows that may be in flight at once */
  constructor(destinations: Destinations | null, capacity: number) {
    this.#destinations = destinations;
    this.#maxSilent = destinations === null ? Number.POSITIVE_INFINITY : capacity * SILENT_SHARE;
  }

  /** The queue of a destination, which is unknown at first. */
  get(destination: string): DestinationQueue {
    let queue = this.#queues.get(destination);
    if (queue === undefined) {
      queue = new DestinationQueue(destination);
      if (this.#destinations === null) queue.open(false);
      this.#queues.set(destination, queue);
    }
    return queue;
  }

  add(jobs: readonly Job[]): void {
    for (const job of jobs) {
      const queue = this.get(job.destination);
      queue.add(job);
      this.#waiting.add(queue);
    }
  }

  /** Queues with jobs that wait. */
  get waiting(): Iterable<DestinationQueue> {
    return this.#waiting;
  }

  /** Rows that could be begun if the worker had the capacity. */
  get readyRows(): number {
    const moment = this.#moment();
    let rows = 0;
    for (const queue of this.#waiting) if (this.#isReady(queue, moment)) rows += queue.waitingRows;
    return rows;
  }

  /** Whether no more rows should be claimed, whatever they are. */
  get isFull(): boolean {
    let rows = 0;
    for (const queue of this.#waiting) rows += queue.waitingRows;
    return rows >= FULL_WAITING;
  }

  #moment(): Moment {
    const nowMs = performance.now();
    let silentCapacity = this.#maxSilent;
    for (const queue of this.#queues.values()) if (queue.isSilent(nowMs)) silentCapacity -= queue.inFlight;
    return { nowMs, silentCapacity };
  }

  /** How many more rows of the queue may begin, as far as its destination goes. */
  #capacityLeft(queue: DestinationQueue): number {
    if (queue.state.kind !== 'open') return 0;
    return this.#destinations === null
      ? Number.POSITIVE_INFINITY
      : this.#destinations.capacityLeft(queue.destination) - queue.coming;
  }

  /** A few free places wait for company while others are busy: batches make the commits cheap. */
  #isReady(queue: DestinationQueue, { nowMs, silentCapacity }: Moment): boolean {
    if (silentCapacity <= 0 && queue.isSilent(nowMs)) return false;
    const left = this.#capacityLeft(queue);
    if (left <= 0) return false;
    const company = Math.min(queue.waitingRows, TURN_ROWS, Math.ceil((left + queue.inFlight) / 4));
    return queue.inFlight === 0 || left >= company;
  }

  /**
   * Jobs to begin, from queue after queue in turns.
   * @param limit rows at most, but for the last job's
   * @param fits whether the job may begin beside the others; the first one of a queue that may not ends its turn
   */
  take(limit: number, fits: (job: Job) => boolean): Job[] {
    const taken: Job[] = [];
    const moment = this.#moment();
    let left = limit;
    for (const queue of [...this.#waiting]) {
      if (left <= 0) break;
      if (!this.#isReady(queue, moment)) continue;
      const turn = this.#destinations === null ? left : Math.min(this.#capacityLeft(queue), TURN_ROWS, left);
      let rows = 0;
      while (rows < turn) {
        const job = queue.peek();
        if (job === undefined || !fits(job)) break;
        queue.shift();
        rows += job.rows.length;
        taken.push(job);
      }
      if (rows === 0) continue;
      left -= rows;
      if (queue.isSilent(moment.nowMs)) moment.silentCapacity -= rows;
      // Its next turn comes after those of the others.
      this.#waiting.delete(queue);
      if (queue.waitingRows > 0) this.#waiting.add(queue);
    }
    return taken;
  }

  /** Takes out everything that waits in the queue. */
  empty(queue: DestinationQueue): Job[] {
    this.#waiting.delete(queue);
    return queue.takeBeyond(0);
  }

  /** Takes out everything that waits. */
  drain(): Job[] {
    return [...this.#waiting].flatMap((queue) => this.empty(queue));
  }

  /** Queues that have work and no capacity for it: the rest of their mail is only in the way of others'. */
  get saturated(): DestinationQueue[] {
    if (this.#destinations === null) return [];
    const moment = this.#moment();
    return [...this.#waiting].filter(
      (queue) =>
        queue.state.kind === 'open' &&
        queue.waitingRows >= MIN_WAITING_OF_QUEUE &&
        !this.#isReady(queue, moment),
    );
  }

  /** Takes out what queues hold beyond their share of the memory. */
  takeOverflow(): { queue: DestinationQueue; jobs: Job[] }[] {
    if (this.#destinations === null) return [];
    const keep = this.#share;
    const overflow: { queue: DestinationQueue; jobs: Job[] }[] = [];
    for (const queue of this.#waiting) {
      if (queue.waitingRows <= keep) continue;
      overflow.push({ queue, jobs: queue.takeBeyond(keep) });
      // Its first email alone may have been too much.
      if (queue.waitingRows === 0) this.#waiting.delete(queue);
    }
    return overflow;
  }

  /** Rows that may wait in each queue. */
  get #share(): number {
    const share = Math.floor(MAX_WAITING / Math.max(this.#waiting.size, 1));
    return Math.min(Math.max(share, MIN_WAITING_OF_QUEUE), MAX_WAITING_OF_QUEUE);
  }

  /** How many rows of its backlog the queue would take in now: no more than it may keep. */
  refillSize(queue: DestinationQueue): number {
    const window = this.#capacityLeft(queue) + queue.inFlight;
    const want = Math.min(Math.max(2 * window, MIN_WAITING_OF_QUEUE), this.#share);
    return queue.waitingRows > want / 3 ? 0 : want - queue.waitingRows;
  }

  /** The queue that needs to be refilled from its backlog, and whose turn is next. */
  nextToRefill(): DestinationQueue | null {
    for (const queue of this.#queues.values()) {
      if (!queue.mayRefill || this.refillSize(queue) === 0) continue;
      // Its next turn comes after those of the others.
      this.#queues.delete(queue.destination);
      this.#queues.set(queue.destination, queue);
      return queue;
    }
    return null;
  }

  /** Forgets idle queues. */
  sweep(nowMs: number): void {
    for (const [destination, queue] of this.#queues)
      if (queue.isForgettable(nowMs)) this.#queues.delete(destination);
  }
}
