/**
 * The mail of destinations that waits in the database: parks what a worker's queues cannot take, and claims it again
 * when there is capacity for it.
 */
import { claimParked, forgetDestination, parkDue, parkHeld } from '../../queue/destinations.ts';
import type { DestinationQueue } from './destination-queue.ts';
import type { DestinationWatch, DestinationWatchOptions } from './destination-watch.ts';
import { groupJobs, type Job } from './job.ts';

/** Statements at once: they share the connections with all other work. */
const MAX_REFILLS = 8;
const PARK_ROWS = 10_000;

export interface BacklogOptions extends Omit<DestinationWatchOptions, 'probe'> {
  watch: DestinationWatch;
}

export class Backlog {
  readonly #options: BacklogOptions;
  #refills = 0;

  constructor(options: BacklogOptions) {
    this.#options = options;
  }

  /** Refills queues that need it. */
  tick(): void {
    while (this.#refills < MAX_REFILLS) {
      const queue = this.#options.queues.nextToRefill();
      if (queue === null) return;
      void this.#refill(queue);
    }
  }

  /** Sees to it that what waits may begin: learns of its destinations, and parks what the queues cannot take. */
  async sort(): Promise<void> {
    const { queues, watch } = this.#options;
    const nowMs = performance.now();
    for (const queue of queues.waiting)
      if (queue.state.kind === 'closed' && queue.state.untilMs <= nowMs) queue.forget();
    const unknown = [...queues.waiting].filter(({ state }) => state.kind === 'unknown');
    if (unknown.length > 0) await watch.load(unknown);
    await Promise.all([...queues.waiting].map((queue) => this.#parkIfClosed(queue)));
    for (const { queue, jobs } of queues.takeOverflow()) await this.#parkHeld(queue, jobs);
  }

  /** Takes what is due next, for queues without capacity, out of the way of the others. */
  async clearTheWay(): Promise<void> {
    const { database, queues } = this.#options;
    const { saturated } = queues;
    if (saturated.length === 0) return;
    for (const queue of saturated) queue.expectBacklog();
    const crowded = saturated.flatMap((queue) => queue.streams);
    while ((await parkDue(database, crowded, PARK_ROWS)) >= PARK_ROWS / 2);
  }

  async #refill(queue: DestinationQueue): Promise<void> {
    const { recorder, onChange } = this.#options;
    this.#refills += 1;
    await queue.refill(() => this.#claimParked(queue)).catch(recorder.reporter('claim a backlog'));
    this.#refills -= 1;
    onChange();
  }

  async #claimParked(queue: DestinationQueue): Promise<void> {
    const { database, lease, queues, recorder, claim, isStopping } = this.#options;
    const limit = queues.refillSize(queue);
    const { rows, isMore } = await claim(() =>
      claimParked(database, lease.leaseId, queue.destination, limit),
    );
    if (isStopping()) await recorder.giveBack(rows);
    else queues.add(groupJobs(rows, () => queue.destination));
    if (isMore) return;
    queue.backlogClaimed();
    await forgetDestination(database, queue.destination);
  }

  /** Says on the timeline of each that it waits, and why. */
  async #parkIfClosed(queue: DestinationQueue): Promise<void> {
    const { queues, recorder } = this.#options;
    const { state } = queue;
    if (state.kind !== 'closed' && state.kind !== 'probing') return;
    const rows = queues.empty(queue).flatMap((job) => job.rows);
    await recorder.recordUntried(rows, queue, state.reply);
  }

  async #parkHeld(queue: DestinationQueue, jobs: readonly Job[]): Promise<void> {
    const { database, lease, claim } = this.#options;
    queue.expectBacklog();
    const rows = jobs.flatMap((job) => job.rows);
    await claim(() => parkHeld(database, lease.leaseId, rows, queue.destination));
  }
}
