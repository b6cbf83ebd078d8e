/**
 * Claimed jobs by destination, so that mail for one destination never waits for mail for another. If all mail is sent to one server, there
 * is one queue. Jobs begin round-robin: between projects, then between the streams of a project, then between destinations. So mail from a
 * small project begins soon, whatever the volume and destinations of other projects.
 */
import type { ClaimedRow } from '../../queue/claim.ts';
import type { ProjectStream } from '../../queue/fair-shares.ts';
import { destinationOf } from './destination-of.ts';
import { DestinationQueue } from './destination-queue.ts';
import { groupJobs, type Job } from './job.ts';
import { SHARE_OF_REMAINING, InFlightShares } from './in-flight-shares.ts';
import type { Destinations } from './provider.ts';
import { Ring } from './ring.ts';
import { keyOf, type Line } from './waiting-jobs.ts';

/** The approximate maximum number of rows in memory, for all destinations together. */
const MAX_WAITING = 4_000;
/**
 * The hard limit on rows in memory. Needed because with thousands of destinations even a few rows per destination exceed `MAX_WAITING`. At
 * this limit no more rows are claimed. Each stream gets a share of the limit.
 */
const FULL_WAITING = 20_000;
const MAX_WAITING_OF_QUEUE = 400;
const MIN_WAITING_OF_QUEUE = 4;
/** A stream with this many ready rows needs no more rows for now. With many streams the number is smaller. */
const ENOUGH_OF_STREAM = 200;
const MIN_ENOUGH_OF_STREAM = 4;
const ENOUGH = 2_000;
/**
 * If at least this many slots are free, a batch may always begin. With fewer free slots, a queue that already has rows in flight may wait
 * for more.
 */
const MIN_BATCH_ROWS = 25;
/** How often a full queue claims parked mail from streams that have no rows in the queue. The first claim is made at once. */
const FULL_QUEUE_REFILL_EVERY_MS = 2_000;
/** The shortest pause between two such claims, for all queues together. */
const FULL_QUEUE_REFILL_PAUSE_MS = 50;

/** The state of the waiting rows in memory. */
export interface Waiting {
  /** Whether no more rows of any stream should be claimed. */
  isFull: boolean;
  /** The number of rows that could begin if the worker had the capacity. */
  readyRows: number;
  /** Streams that have enough rows in memory, by `keyOf`. No more of their rows should be claimed. */
  enough: Map<string, ProjectStream>;
}

/** A queue that needs to be refilled from its backlog. */
export interface Refill {
  queue: DestinationQueue;
  rows: number;
  /** Streams that already have rows in the queue, and get no share of the claim. */
  leaveOut: ProjectStream[];
}

export class DestinationQueues {
  readonly #destinations: Destinations | null;
  readonly #capacity: number;
  readonly #queues = new Map<string, DestinationQueue>();
  readonly #waiting = new Set<DestinationQueue>();
  /** The rings for round-robin: projects, the streams of each project, and the destinations of each stream, with lines of waiting jobs. */
  readonly #projects = new Ring<Ring<Ring<Line>>>();
  #nextFullQueueRefillMs = 0;

  /** @param capacity the maximum number of rows in flight at once */
  constructor(destinations: Destinations | null, capacity: number) {
    this.#destinations = destinations;
    this.#capacity = capacity;
  }

  /** Returns the queue of a destination. A new queue is in the state `unknown`. */
  get(destination: string): DestinationQueue {
    let queue = this.#queues.get(destination);
    if (queue === undefined) {
      queue = new DestinationQueue(destination);
      if (this.#destinations === null) queue.open();
      this.#queues.set(destination, queue);
    }
    return queue;
  }

  has(destination: string): boolean {
    return this.#queues.has(destination);
  }

  /** Whether all mail is sent to one server. */
  get isOneWay(): boolean {
    return this.#destinations === null;
  }

  /** Groups rows into jobs: recipients of one email at one destination are sent together. */
  jobsOf(rows: readonly ClaimedRow[]): Job[] {
    return groupJobs(rows, this.isOneWay ? () => '' : destinationOf);
  }

  add(jobs: readonly Job[]): void {
    for (const job of jobs) {
      const queue = this.get(job.destination);
      const line = queue.add(job);
      this.#waiting.add(queue);
      const streams = ringIn(this.#projects, line.projectId, () => new Ring<Ring<Line>>());
      ringIn(streams, line.stream, () => new Ring<Line>()).put(line.destination, line);
    }
  }

  /** Queues with waiting jobs. */
  get waiting(): Iterable<DestinationQueue> {
    return this.#waiting;
  }

  /**
   * The state of the queues, which determines the next claim.
   * @param mostReady the number of ready rows that is enough for any stream, because other workers may have slots for further rows
   */
  survey(mostReady: number = ENOUGH_OF_STREAM): Waiting {
    const shares = this.#inFlightShares();
    const streams = new Map<string, { of: ProjectStream; ready: number; waiting: number }>();
    let readyRows = 0;
    let rows = 0;
    for (const queue of this.#waiting) {
      const isReady = this.#isReady(queue, shares);
      rows += queue.waiting.rows;
      for (const line of queue.waiting.lines) {
        const key = keyOf(line);
        let stream = streams.get(key);
        if (stream === undefined) {
          const { projectId, stream: name } = line;
          stream = { of: { projectId, stream: name }, ready: 0, waiting: 0 };
          streams.set(key, stream);
        }
        stream.waiting += line.rows;
        if (!isReady || !shares.mayProjectBegin(line.projectId, queue)) continue;
        stream.ready += line.rows;
        readyRows += line.rows;
      }
    }
    const waitingIsEnough = (FULL_WAITING - rows) * SHARE_OF_REMAINING;
    const least = Math.floor(ENOUGH / Math.max(streams.size, 1));
    const readyIsEnough = Math.min(Math.max(least, MIN_ENOUGH_OF_STREAM), mostReady);
    const enough = new Map<string, ProjectStream>();
    for (const [key, { of, ready, waiting }] of streams)
      if (ready >= readyIsEnough || waiting >= waitingIsEnough) enough.set(key, of);
    return { isFull: rows >= FULL_WAITING, readyRows, enough };
  }

  #inFlightShares(): InFlightShares {
    return new InFlightShares(this.#destinations, this.#capacity, this.#queues.values());
  }

  /** Whether this worker may use the destination at all. */
  hasSlot(destination: string): boolean {
    return this.#destinations === null || this.#destinations.hasSlot(destination);
  }

  /** The number of further rows in the queue that may begin within the destination's limits. */
  #capacityLeft(queue: DestinationQueue): number {
    if (queue.state.kind !== 'open') return 0;
    return this.#destinations === null
      ? Number.POSITIVE_INFINITY
      : this.#destinations.capacityLeft(queue.destination) - queue.preparing;
  }

  /** Whether the destination has capacity now for enough rows to form a batch. */
  #isReady(queue: DestinationQueue, shares: InFlightShares): boolean {
    if (!shares.mayBegin(queue)) return false;
    const left = this.#capacityLeft(queue);
    if (left <= 0) return false;
    const minBatchRows = Math.min(queue.waiting.rows, MIN_BATCH_ROWS, Math.ceil((left + queue.inFlight) / 4));
    return queue.inFlight === 0 || left >= minBatchRows;
  }

  /**
   * Takes the jobs to begin, round-robin.
   * @param limit the maximum number of rows; the last job may exceed it
   * @param fits whether the job may begin together with the jobs taken before; if not, the line of the job is skipped for the rest of the
   * call
   */
  take(limit: number, fits: (job: Job) => boolean): Job[] {
    const jobs: Job[] = [];
    const shares = this.#inFlightShares();
    const free = new Map<DestinationQueue, number>();
    const takeFrom = (line: Line): number => {
      const queue = this.get(line.destination);
      let rows = free.get(queue);
      if (rows === undefined) {
        rows = this.#isReady(queue, shares) ? this.#capacityLeft(queue) : 0;
        free.set(queue, rows);
      }
      if (rows <= 0 || !shares.mayProjectBegin(line.projectId, queue)) return 0;
      const job = queue.waiting.peek(line);
      if (job === undefined || !fits(job)) return 0;
      queue.waiting.shift(line);
      if (queue.waiting.rows === 0) this.#waiting.delete(queue);
      jobs.push(job);
      free.set(queue, rows - job.rows.length);
      shares.take(job.projectId, queue, job.rows.length);
      return job.rows.length;
    };
    for (let left = limit; left > 0; ) {
      const rows = this.#projects.serveNext(shares, (streams) =>
        streams.serveNext(shares, (lines) => lines.serveNext(shares, takeFrom)),
      );
      if (rows === 0) break;
      left -= rows;
    }
    return jobs;
  }

  empty(queue: DestinationQueue): Job[] {
    this.#waiting.delete(queue);
    return queue.waiting.takeBeyond(0);
  }

  /** Removes the waiting jobs for which `matches` is true. */
  removeJobs(matches: (job: Job) => boolean): Job[] {
    const taken: Job[] = [];
    for (const queue of this.#waiting) {
      taken.push(...queue.waiting.removeJobs(matches));
      if (queue.waiting.rows === 0) this.#waiting.delete(queue);
    }
    return taken;
  }

  drain(): Job[] {
    return [...this.#waiting].flatMap((queue) => this.empty(queue));
  }

  /** Lines with waiting jobs whose destination has no capacity. Claiming more rows of these lines would only delay other mail. */
  get crowded(): { queue: DestinationQueue; line: Line }[] {
    if (this.#destinations === null) return [];
    const shares = this.#inFlightShares();
    return [...this.#waiting]
      .filter((queue) => queue.state.kind === 'open' && !this.#isReady(queue, shares))
      .flatMap((queue) => [...queue.waiting.lines].map((line) => ({ queue, line })))
      .filter(({ line }) => line.rows >= MIN_WAITING_OF_QUEUE);
  }

  /** Removes jobs beyond each queue's share of memory, and all jobs for destinations that only other workers may use. */
  takeOverflow(): { queue: DestinationQueue; jobs: Job[] }[] {
    if (this.#destinations === null) return [];
    const share = this.#share;
    const overflow: { queue: DestinationQueue; jobs: Job[] }[] = [];
    for (const queue of this.#waiting) {
      const keep = this.hasSlot(queue.destination) ? share : 0;
      if (queue.waiting.rows <= keep) continue;
      overflow.push({ queue, jobs: queue.waiting.takeBeyond(keep) });
      // Even the first email of a queue may exceed the share, and then the queue is empty now.
      if (queue.waiting.rows === 0) this.#waiting.delete(queue);
    }
    return overflow;
  }

  /** The maximum number of rows that may wait in each queue. */
  get #share(): number {
    const share = Math.floor(MAX_WAITING / Math.max(this.#waiting.size, 1));
    return Math.min(Math.max(share, MIN_WAITING_OF_QUEUE), MAX_WAITING_OF_QUEUE);
  }

  /** The number of rows that the queue should claim from its backlog now, up to its share. */
  #refillRows(queue: DestinationQueue): number {
    if (!this.hasSlot(queue.destination)) return 0;
    const window = this.#capacityLeft(queue) + queue.inFlight;
    const target = Math.min(Math.max(2 * window, MIN_WAITING_OF_QUEUE), this.#share);
    return queue.waiting.rows > target / 3 ? 0 : target - queue.waiting.rows;
  }

  /** The backlog from which rows should be claimed next. Null if there is none. */
  nextRefill(nowMs: number): Refill | null {
    for (const queue of this.#queues.values()) {
      const rows = queue.mayRefill ? this.#refillRows(queue) : 0;
      if (rows > 0) return this.#refillOf(queue, { queue, rows, leaveOut: [] });
    }
    return nowMs < this.#nextFullQueueRefillMs ? null : this.#nextFullQueueRefill(nowMs);
  }

  /**
   * A claim of parked rows for streams that have no rows in a queue filled by other streams. Without such claims, these streams would wait
   * until the other streams are finished.
   */
  #nextFullQueueRefill(nowMs: number): Refill | null {
    this.#nextFullQueueRefillMs = nowMs + FULL_QUEUE_REFILL_PAUSE_MS;
    // Check the queues in the order of their last refills. In the order of `#waiting`, the same 40 queues (2 s / 50 ms) would
    // be refilled every time.
    for (const queue of this.#queues.values()) {
      if (!this.#waiting.has(queue) || !queue.mayRefill) continue;
      if (nowMs - queue.refilledMs < FULL_QUEUE_REFILL_EVERY_MS || !this.hasSlot(queue.destination)) continue;
      return this.#refillOf(queue, {
        queue,
        rows: MIN_WAITING_OF_QUEUE,
        leaveOut: [...queue.waiting.lines],
      });
    }
    return null;
  }

  /** Moves the queue to the end of the order in which queues are refilled. */
  #refillOf(queue: DestinationQueue, refill: Refill): Refill {
    this.#queues.delete(queue.destination);
    this.#queues.set(queue.destination, queue);
    return refill;
  }

  /** Drops idle queues. */
  sweep(nowMs: number): void {
    for (const [destination, queue] of this.#queues)
      if (queue.isForgettable(nowMs)) this.#queues.delete(destination);
  }
}

function ringIn<Each extends Ring<Line> | Ring<Ring<Line>>>(
  ring: Ring<Each>,
  key: string,
  make: () => Each,
): Each {
  const known = ring.get(key);
  if (known !== undefined) return known;
  const made = make();
  ring.put(key, made);
  return made;
}
