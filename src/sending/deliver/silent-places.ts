import type { DestinationQueue } from './destination-queue.ts';

/** What is scarce: a project gets no more of it than so many times what is left, so that some is left for the next one. */
export const OF_WHAT_IS_LEFT = 4;

/** What silent destinations have in flight: looked up once, before queues are looked at one by one. */
export class SilentPlaces {
  readonly nowMs = performance.now();
  #left: number;
  /** What each project has. */
  readonly #of = new Map<string, number>();

  /** @param places rows that silent destinations may have in flight together */
  constructor(places: number, queues: Iterable<DestinationQueue>) {
    this.#left = places;
    for (const queue of queues) {
      if (queue.inFlight === 0) continue;
      for (const [projectId, rows] of queue.inFlightOf) this.take(projectId, queue, rows);
    }
  }

  /** Whether the queue may begin more, for whomever. */
  areFor(queue: DestinationQueue): boolean {
    return this.#left > 0 || !queue.isSilent(this.nowMs);
  }

  /** Whether the project may have more in flight for the destination, should that be a silent one. */
  areOf(projectId: string, queue: DestinationQueue): boolean {
    return !queue.isSilent(this.nowMs) || (this.#of.get(projectId) ?? 0) < this.#left * OF_WHAT_IS_LEFT;
  }

  /** Counts rows that begin. */
  take(projectId: string, queue: DestinationQueue, rows: number): void {
    if (!queue.isSilent(this.nowMs)) return;
    this.#left -= rows;
    this.#of.set(projectId, (this.#of.get(projectId) ?? 0) + rows);
  }
}
