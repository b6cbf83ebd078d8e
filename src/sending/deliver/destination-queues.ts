/**
 * Claimed jobs by destination, so that mail for one destination waits for no other's. Where all mail goes one way there
 * is one queue. What may begin does so in turns: between projects, then between the streams of each, then between
 * destinations. So whoever has little mail begins next, whatever the others have, and wherever it goes.
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

/** Rows that wait in memory for all destinations together, about. */
const MAX_WAITING = 4_000;
/** With thousands of destinations even a few rows of each are more: beyond this nothing is claimed, and a stream has a part. */
const FULL_WAITING = 20_000;
const MAX_WAITING_OF_QUEUE = 400;
const MIN_WAITING_OF_QUEUE = 4;
/** A stream of a project that has so many rows ready needs no more for now; where there are many streams, fewer. */
const ENOUGH_OF_STREAM = 200;
const MIN_ENOUGH_OF_STREAM = 4;
const ENOUGH = 2_000;
/** A few free places wait for company while others are busy, but not for more than this. */
const COMPANY_ROWS = 25;
/** How often a full queue looks for parked mail of those who have none in it, and how often any queue does. */
const CHANCE_OF_QUEUE_MS = 2_000;
const CHANCE_MS = 50;

/** What waits in memory. */
export interface Waiting {
  /** Whether no more rows should be claimed, whatever they are. */
  isFull: boolean;
  /** Rows that could be begun if the worker had the capacity. */
  readyRows: number;
  /** Streams of projects, by `keyOf`, that have as many rows here as they need: no more of theirs should be claimed. */
  enough: Map<string, ProjectStream>;
}

/** A queue that needs to be refilled from its backlog. */
export interface Refill {
  queue: DestinationQueue;
  rows: number;
  /** They have rows there already. */
  leaveOut: ProjectStream[];
}

export class DestinationQueues {
  readonly #destinations: Destinations | null;
  readonly #capacity: number;
  readonly #queues = new Map<string, DestinationQueue>();
  /** Queues with jobs that wait. */
  readonly #waiting = new Set<DestinationQueue>();
  /** Projects, their streams, and the destinations of each, with lines of jobs that wait. */
  readonly #projects = new Ring<Ring<Ring<Line>>>();
  #nextChanceMs = 0;

  /** @param capacity rows that may be in flight at once */
  constructor(destinations: Destinations | null, capacity: number) {
    this.#destinations = destinations;
    this.#capacity = capacity;
  }

  /** The queue of a destination, which is unknown at first. */
  get(destination: string): DestinationQueue {
    let queue = this.#queues.get(destination);
    if (queue === undefined) {
      queue = new DestinationQueue(destination);
      if (this.#destinations === null) queue.open();
      this.#queues.set(destination, queue);
    }
    return queue;
  }

  /** Whether there is a queue of the destination. */
  has(destination: string): boolean {
    return this.#queues.has(destination);
  }

  /** Whether all mail goes one way. */
  get isOneWay(): boolean {
    return this.#destinations === null;
  }

  /** The rows as jobs: those of one email for one destination go out together. */
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

  /** Queues with jobs that wait. */
  get waiting(): Iterable<DestinationQueue> {
    return this.#waiting;
  }

  /**
   * What there is, so that the next claim is of use.
   * @param mostReady as many rows are enough for whomever: others may have places for the rest
   */
  look(mostReady: number = ENOUGH_OF_STREAM): Waiting {
    const places = this.#places();
    const streams = new Map<string, { of: ProjectStream; ready: number; waiting: number }>();
    let readyRows = 0;
    let rows = 0;
    for (const queue of this.#waiting) {
      const isReady = this.#isReady(queue, places);
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
        if (!isReady || !places.areOf(line.projectId, queue)) continue;
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

  #places(): InFlightShares {
    return new InFlightShares(this.#destinations, this.#capacity, this.#queues.values());
  }

  /** Whether this worker may use the destination at all. */
  hasPlace(destination: string): boolean {
    return this.#destinations === null || this.#destinations.hasPlace(destination);
  }

  /** How many more rows of the queue may begin, as far as its destination goes. */
  #capacityLeft(queue: DestinationQueue): number {
    if (queue.state.kind !== 'open') return 0;
    return this.#destinations === null
      ? Number.POSITIVE_INFINITY
      : this.#destinations.capacityLeft(queue.destination) - queue.coming;
  }

  /** Whether the destination takes more now, and has company for it. */
  #isReady(queue: DestinationQueue, places: InFlightShares): boolean {
    if (!places.areFor(queue)) return false;
    const left = this.#capacityLeft(queue);
    if (left <= 0) return false;
    const company = Math.min(queue.waiting.rows, COMPANY_ROWS, Math.ceil((left + queue.inFlight) / 4));
    return queue.inFlight === 0 || left >= company;
  }

  /**
   * Jobs to begin, one at each turn.
   * @param limit rows at most, but for the last job's
   * @param fits whether the job may begin beside the others; a line whose first one may not has no more turns
   */
  take(limit: number, fits: (job: Job) => boolean): Job[] {
    const taken: Job[] = [];
    const places = this.#places();
    const free = new Map<DestinationQueue, number>();
    const takeFrom = (line: Line): number => {
      const queue = this.get(line.destination);
      let rows = free.get(queue);
      if (rows === undefined) {
        rows = this.#isReady(queue, places) ? this.#capacityLeft(queue) : 0;
        free.set(queue, rows);
      }
      if (rows <= 0 || !places.areOf(line.projectId, queue)) return 0;
      const job = queue.waiting.peek(line);
      if (job === undefined || !fits(job)) return 0;
      queue.waiting.shift(line);
      if (queue.waiting.rows === 0) this.#waiting.delete(queue);
      taken.push(job);
      free.set(queue, rows - job.rows.length);
      places.take(job.projectId, queue, job.rows.length);
      return job.rows.length;
    };
    for (let left = limit; left > 0; ) {
      const rows = this.#projects.turn(places, (streams) =>
        streams.turn(places, (lines) => lines.turn(places, takeFrom)),
      );
      if (rows === 0) break;
      left -= rows;
    }
    return taken;
  }

  /** Takes out everything that waits in the queue. */
  empty(queue: DestinationQueue): Job[] {
    this.#waiting.delete(queue);
    return queue.waiting.takeBeyond(0);
  }

  /** Takes out the jobs that wait and are such. */
  takeOut(isSuch: (job: Job) => boolean): Job[] {
    const taken: Job[] = [];
    for (const queue of this.#waiting) {
      taken.push(...queue.waiting.takeOut(isSuch));
      if (queue.waiting.rows === 0) this.#waiting.delete(queue);
    }
    return taken;
  }

  /** Takes out everything that waits. */
  drain(): Job[] {
    return [...this.#waiting].flatMap((queue) => this.empty(queue));
  }

  /** Lines that have work, and a destination without capacity for it: more of theirs would only be in others' way. */
  get crowded(): { queue: DestinationQueue; line: Line }[] {
    if (this.#destinations === null) return [];
    const places = this.#places();
    return [...this.#waiting]
      .filter((queue) => queue.state.kind === 'open' && !this.#isReady(queue, places))
      .flatMap((queue) => [...queue.waiting.lines].map((line) => ({ queue, line })))
      .filter(({ line }) => line.rows >= MIN_WAITING_OF_QUEUE);
  }

  /** Takes out what queues hold beyond their share of the memory, and all of those for which others have the places. */
  takeOverflow(): { queue: DestinationQueue; jobs: Job[] }[] {
    if (this.#destinations === null) return [];
    const share = this.#share;
    const overflow: { queue: DestinationQueue; jobs: Job[] }[] = [];
    for (const queue of this.#waiting) {
      const keep = this.hasPlace(queue.destination) ? share : 0;
      if (queue.waiting.rows <= keep) continue;
      overflow.push({ queue, jobs: queue.waiting.takeBeyond(keep) });
      // Its first email alone may have been too much.
      if (queue.waiting.rows === 0) this.#waiting.delete(queue);
    }
    return overflow;
  }

  /** Rows that may wait in each queue. */
  get #share(): number {
    const share = Math.floor(MAX_WAITING / Math.max(this.#waiting.size, 1));
    return Math.min(Math.max(share, MIN_WAITING_OF_QUEUE), MAX_WAITING_OF_QUEUE);
  }

  /** How many rows of its backlog the queue would take in now: no more than it may keep. */
  #refillRows(queue: DestinationQueue): number {
    if (!this.hasPlace(queue.destination)) return 0;
    const window = this.#capacityLeft(queue) + queue.inFlight;
    const want = Math.min(Math.max(2 * window, MIN_WAITING_OF_QUEUE), this.#share);
    return queue.waiting.rows > want / 3 ? 0 : want - queue.waiting.rows;
  }

  /** What is to be claimed from a backlog next. */
  nextRefill(nowMs: number): Refill | null {
    for (const queue of this.#queues.values()) {
      const rows = queue.mayRefill ? this.#refillRows(queue) : 0;
      if (rows > 0) return this.#refillOf(queue, { queue, rows, leaveOut: [] });
    }
    return nowMs < this.#nextChanceMs ? null : this.#nextChance(nowMs);
  }

  /** Others fill the queue: whoever has nothing there, and only parked rows, would have no turn until they are gone. */
  #nextChance(nowMs: number): Refill | null {
    this.#nextChanceMs = nowMs + CHANCE_MS;
    for (const queue of this.#waiting) {
      if (!queue.mayRefill || nowMs - queue.refilledMs < CHANCE_OF_QUEUE_MS) continue;
      if (!this.hasPlace(queue.destination)) continue;
      return this.#refillOf(queue, {
        queue,
        rows: MIN_WAITING_OF_QUEUE,
        leaveOut: [...queue.waiting.lines],
      });
    }
    return null;
  }

  /** The next turn of the queue comes after those of the others. */
  #refillOf(queue: DestinationQueue, refill: Refill): Refill {
    this.#queues.delete(queue.destination);
    this.#queues.set(queue.destination, queue);
    return refill;
  }

  /** Forgets idle queues. */
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
