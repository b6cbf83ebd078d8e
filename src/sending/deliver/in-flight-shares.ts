import type { DestinationQueue } from './destination-queue.ts';
import type { Destinations } from './provider.ts';

/** A project gets at most this multiple of the remaining capacity, so that some capacity is left for other projects. */
export const SHARE_OF_REMAINING = 4;
/**
 * The share of all slots that silent destinations may use together. Servers that take minutes to reply must not use up all slots, no
 * matter which projects send to them. In direct delivery, connections for other destinations remain available too.
 */
const SILENT_SHARE = 0.4;

/** Free slots for rows in flight, and the slots used by each project. */
class Share {
  #left: number;
  readonly #of = new Map<string, number>();

  constructor(slots: number) {
    this.#left = slots;
  }

  get isEmpty(): boolean {
    return this.#left <= 0;
  }

  isFor(projectId: string): boolean {
    return (this.#of.get(projectId) ?? 0) < this.#left * SHARE_OF_REMAINING;
  }

  /** @param used how many more slots become used; fewer than `places` if several projects share a slot */
  take(projectId: string, places: number, used = places): void {
    this.#left -= used;
    this.#of.set(projectId, (this.#of.get(projectId) ?? 0) + places);
  }
}

/** A snapshot of the rows in flight by project, taken before the queues are examined one by one. */
export class InFlightShares {
  readonly #nowMs = performance.now();
  readonly #isShared: boolean;
  readonly #all: Share;
  readonly #silent: Share;
  /**
   * Slots for destinations with rows in flight, because each of these destinations needs a connection. Infinite if all mail is sent to one
   * server.
   */
  readonly #connections: Share;
  /** The destinations with rows in flight, and the pairs of project and destination with rows in flight. */
  readonly #begun = new Set<string>();

  /**
   * Counts the rows in flight in all queues.
   * @param destinations null if all mail is sent to one server, for which round-robin alone is fair
   * @param capacity the maximum number of rows in flight at once
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

  /** Whether the queue may begin more rows of at least one project. */
  mayBegin(queue: DestinationQueue): boolean {
    return !(this.#silent.isEmpty && queue.isSilent(this.#nowMs));
  }

  /** Whether the project may have more rows in flight for the destination. */
  mayProjectBegin(projectId: string, queue: DestinationQueue): boolean {
    if (!this.#all.isFor(projectId)) return false;
    if (!this.#connections.isFor(projectId) && !this.#begun.has(`${projectId} ${queue.destination}`))
      return false;
    return this.#silent.isFor(projectId) || !queue.isSilent(this.#nowMs);
  }

  /** Counts rows that are beginning. */
  take(projectId: string, queue: DestinationQueue, rows: number): void {
    // If all mail is sent to one server, no shares apply.
    if (!this.#isShared) return;
    this.#all.take(projectId, rows);
    const key = `${projectId} ${queue.destination}`;
    if (!this.#begun.has(key))
      this.#connections.take(projectId, 1, this.#begun.has(queue.destination) ? 0 : 1);
    this.#begun.add(key).add(queue.destination);
    if (queue.isSilent(this.#nowMs)) this.#silent.take(projectId, rows);
  }
}
