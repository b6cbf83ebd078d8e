/** Claimed jobs by destination, so that mail for one destination waits for no other's. Where all mail goes one way there is one destination queue. */
import type { Job } from './begin-attempts.ts';
import { DestinationQueue } from './destination-queue.ts';
import type { Destinations } from './provider.ts';

/** Rows that wait in memory for all destinations together, about. */
const MAX_WAITING = 4_000;
/** With thousands of destinations even a few rows of each are more: beyond this nothing is claimed. */
const FULL_WAITING = 20_000;
const MAX_WAITING_OF_LANE = 400;
const MIN_WAITING_OF_LANE = 4;
/**
 * Of all places what destinations may take up together that have not answered of late: servers that are silent for
 * minutes must not have them all, whoever sends them mail. In direct delivery it also leaves connections to the others.
 */
const STRANGERS_SHARE = 0.4;
/** What one destination queue takes at its turn. */
const TURN_ROWS = 25;
/** An idle destination queue is forgotten after this. */
const IDLE_MS = 60_000;

/** What there is to know of all destination queues before one is looked at. */
interface Crowd {
  nowMs: number;
  /** How many more rows may be begun for destinations that have not answered of late. */
  strangers: number;
}

export class DestinationQueues {
  readonly #destinations: Destinations | null;
  readonly #maxStrangers: number;
  readonly #queues = new Map<string, DestinationQueue>();
  /** Destination queues with jobs that wait, in the order of their turns. */
  readonly #waiting = new Set<DestinationQueue>();

  /** @param capacity rows that may be in flight at once */
  constructor(destinations: Destinations | null, capacity: number) {
    this.#destinations = destinations;
    this.#maxStrangers = destinations === null ? Number.POSITIVE_INFINITY : capacity * STRANGERS_SHARE;
  }

  /** The destination queue of a destination, which is unknown at first. */
  get(destination: string): DestinationQueue {
    let queue = this.#queues.get(destination);
    if (queue === undefined) {
      queue = new DestinationQueue(destination);
      if (this.#destinations === null) queue.state = { kind: 'open' };
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

  /** Destination queues with jobs that wait. */
  get waiting(): Iterable<DestinationQueue> {
    return this.#waiting;
  }

  /** Rows that could be begun if the worker had room. */
  get readyRows(): number {
    const crowd = this.#crowd();
    let rows = 0;
    for (const queue of this.#waiting) if (this.#isReady(queue, crowd)) rows += queue.waitingRows;
    return rows;
  }

  /** Whether no more rows should be claimed, whatever they are. */
  get isFull(): boolean {
    let rows = 0;
    for (const queue of this.#waiting) rows += queue.waitingRows;
    return rows >= FULL_WAITING;
  }

  #crowd(): Crowd {
    const nowMs = performance.now();
    let strangers = this.#maxStrangers;
    for (const queue of this.#queues.values()) if (!queue.answers(nowMs)) strangers -= queue.inFlight;
    return { nowMs, strangers };
  }

  /** How many more rows the destination queue may begin, as far as its destination goes. */
  #room(queue: DestinationQueue): number {
    if (queue.state.kind !== 'open') return 0;
    return this.#destinations === null
      ? Number.POSITIVE_INFINITY
      : this.#destinations.room(queue.destination) - queue.coming;
  }

  /** A few free places wait for company while others are busy: batches make the commits cheap. */
  #isReady(queue: DestinationQueue, { nowMs, strangers }: Crowd): boolean {
    if (strangers <= 0 && !queue.answers(nowMs)) return false;
    const room = this.#room(queue);
    if (room <= 0) return false;
    const company = Math.min(queue.waitingRows, TURN_ROWS, Math.ceil((room + queue.inFlight) / 4));
    return queue.inFlight === 0 || room >= company;
  }

  /**
   * Jobs to begin, from destination queue after destination queue in turns.
   * @param slots rows at most, but for the last job's
   * @param fits whether the job may be begun beside the others; the first of a destination queue that may not ends its turn
   */
  take(slots: number, fits: (job: Job) => boolean): Job[] {
    const taken: Job[] = [];
    const crowd = this.#crowd();
    let left = slots;
    for (const queue of [...this.#waiting]) {
      if (left <= 0) break;
      if (!this.#isReady(queue, crowd)) continue;
      const turn = this.#destinations === null ? left : Math.min(this.#room(queue), TURN_ROWS, left);
      let rows = 0;
      while (rows < turn) {
        const job = queue.peek();
        if (job === undefined) break;
        if (!fits(job)) break;
        queue.shift();
        rows += job.rows.length;
        taken.push(job);
      }
      if (rows === 0) continue;
      left -= rows;
      if (!queue.answers(crowd.nowMs)) crowd.strangers -= rows;
      // To the end of the row.
      this.#waiting.delete(queue);
      if (queue.waitingRows > 0) this.#waiting.add(queue);
    }
    return taken;
  }

  /** Everything that waits in the destination queue. */
  empty(queue: DestinationQueue): Job[] {
    this.#waiting.delete(queue);
    return queue.takeBeyond(0);
  }

  /** Everything that waits. */
  drain(): Job[] {
    return [...this.#waiting].flatMap((queue) => this.empty(queue));
  }

  /** Destination queues that have work and no room for it: the rest of their mail is only in the way of others'. */
  get saturated(): DestinationQueue[] {
    if (this.#destinations === null) return [];
    const crowd = this.#crowd();
    return [...this.#waiting].filter(
      (queue) =>
        queue.state.kind === 'open' &&
        queue.waitingRows >= MIN_WAITING_OF_LANE &&
        !this.#isReady(queue, crowd),
    );
  }

  /** Takes out what destination queues hold beyond their share of the memory. */
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

  /** Rows that may wait in each destination queue. */
  get #share(): number {
    const share = Math.floor(MAX_WAITING / Math.max(this.#waiting.size, 1));
    return Math.min(Math.max(share, MIN_WAITING_OF_LANE), MAX_WAITING_OF_LANE);
  }

  /** How many rows of its backlog the destination queue would take in now: no more than it may keep. */
  refillSize(queue: DestinationQueue): number {
    const window = this.#room(queue) + queue.inFlight;
    const want = Math.min(Math.max(2 * window, MIN_WAITING_OF_LANE), this.#share);
    return queue.waitingRows > want / 3 ? 0 : want - queue.waitingRows;
  }

  /** The destination queue with a backlog and an appetite for it whose turn is next. */
  nextToRefill(): DestinationQueue | null {
    for (const queue of this.#queues.values()) {
      const mayPull = queue.hasBacklog && !queue.pulling && queue.state.kind === 'open';
      if (!mayPull || this.refillSize(queue) === 0) continue;
      // To the end of the row.
      this.#queues.delete(queue.destination);
      this.#queues.set(queue.destination, queue);
      return queue;
    }
    return null;
  }

  /** Forgets idle destination queues; what there is to know of them is in the database. */
  sweep(nowMs: number): void {
    for (const [destination, queue] of this.#queues) {
      const isDue = nowMs - queue.lastUsedMs > IDLE_MS && queue.state.kind !== 'probing';
      const isNeeded = queue.hasBacklog && queue.state.kind === 'open';
      if (isDue && queue.isIdle && !isNeeded) this.#queues.delete(destination);
    }
  }
}
