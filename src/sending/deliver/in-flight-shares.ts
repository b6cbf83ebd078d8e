import type { DestinationQueue } from './destination-queue.ts';
import type { Destinations } from './provider.ts';

/** What is scarce: a project gets no more of it than so many times what is left, so that some is left for the next one. */
export const SHARE_OF_REMAINING = 4;
/**
 * What silent destinations may have in flight together, as a share of all: servers that keep silent for minutes must not
 * take up every place, whoever sends them mail. In direct delivery this also leaves connections to the others.
 */
const SILENT_SHARE = 0.4;

/** Places for rows in flight, and how many of them each project has. */
class Share {
  #left: number;
  readonly #of = new Map<string, number>();

  constructor(places: number) {
    this.#left = places;
  }

  get isEmpty(): boolean {
    return this.#left <= 0;
  }

  isFor(projectId: string): boolean {
    return (this.#of.get(projectId) ?? 0) < this.#left * SHARE_OF_REMAINING;
  }

  /** @param used of the places, where projects may share one */
  take(projectId: string, places: number, used = places): void {
    this.#left -= used;
    this.#of.set(projectId, (this.#of.get(projectId) ?? 0) + places);
  }
}

/** Who has how much in flight: looked up once, before queues are looked at one by one. */
export class InFlightShares {
  readonly #nowMs = performance.now();
  readonly #isShared: boolean;
  readonly #all: Share;
  readonly #silent: Share;
  /** Destinations with something in flight: each needs a connection. Infinite where all mail goes the same way. */
  readonly #connections: Share;
  /** Destinations with something in flight, also together with each of the projects. */
  readonly #begun = new Set<string>();

  /**
   * @param destinations null where all mail goes the same way: there the turns are enough
   * @param capacity rows that may be in flight at once
   */
  constructor(destinations: Destinations | null, capacity: number, queues: Iterable<DestinationQueue>) {
    const isShared = destinations !== null;
    this.#isShared = isShared;
    this.#all = new Share(isShared ? capacity : Number.POSITIVE_INFINITY);
    this.#silent = new Share(isShared ? capacity * SILENT_SHARE : Number.POSITIVE_INFINITY);
    this.#connections = new Share(destinations?.maxConnections ?? Number.POSITIVE_INFINITY);
    if (!isShared) return;
    for (const queue of queues) {
      if (queue.inFlight === 0) continue;
      for (const [projectId, rows] of queue.inFlightOf) this.take(projectId, queue, rows);
    }
  }

  /** Whether the queue may begin more, for whomever. */
  areFor(queue: DestinationQueue): boolean {
    return !(this.#silent.isEmpty && queue.isSilent(this.#nowMs));
  }

  /** Whether the project may have more in flight for the destination. */
  areOf(projectId: string, queue: DestinationQueue): boolean {
    if (!this.#all.isFor(projectId)) return false;
    if (!this.#connections.isFor(projectId) && !this.#begun.has(`${projectId} ${queue.destination}`))
      return false;
    return this.#silent.isFor(projectId) || !queue.isSilent(this.#nowMs);
  }

  /** Counts rows that begin. */
  take(projectId: string, queue: DestinationQueue, rows: number): void {
    // Nothing is scarce: each email would be counted in vain.
    if (!this.#isShared) return;
    this.#all.take(projectId, rows);
    const key = `${projectId} ${queue.destination}`;
    if (!this.#begun.has(key))
      this.#connections.take(projectId, 1, this.#begun.has(queue.destination) ? 0 : 1);
    this.#begun.add(key).add(queue.destination);
    if (queue.isSilent(this.#nowMs)) this.#silent.take(projectId, rows);
  }
}
