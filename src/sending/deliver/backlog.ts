/**
 * The backlog of destinations in the database. Parks rows that do not fit into a worker's queues, and claims them again when there is
 * capacity.
 */
import { claimParked, forgetDestination, parkDue, parkUnstarted } from '../../queue/destinations.ts';
import type { DestinationQueue } from './destination-queue.ts';
import type { Refill } from './destination-queues.ts';
import type { DestinationWatch, DestinationWatchOptions } from './destination-watch.ts';
import { groupJobs, type Job } from './job.ts';

/** The maximum number of concurrent claims of parked rows. Small, because the claims share the connections with all other work. */
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

  /** Refills queues that need more rows. */
  tick(): void {
    const { queues } = this.#options;
    while (this.#refills < MAX_REFILLS) {
      const refill = queues.nextRefill(performance.now());
      if (refill === null) return;
      void this.#refill(refill);
    }
  }

  /** Loads the state of unknown destinations. Parks rows whose destination is closed and rows that do not fit into the queues. */
  async loadAndPark(): Promise<void> {
    const { queues, watch } = this.#options;
    const nowMs = performance.now();
    for (const queue of queues.waiting)
      if (queue.state.kind === 'closed' && queue.state.untilMs <= nowMs) queue.forget();
    const unknown = [...queues.waiting].filter(({ state }) => state.kind === 'unknown');
    if (unknown.length > 0) await watch.load(unknown);
    await Promise.all([...queues.waiting].map((queue) => this.#parkIfClosed(queue)));
    for (const { queue, jobs } of queues.takeOverflow()) await this.#parkUnstarted(queue, jobs);
  }

  /**
   * Parks due rows of queues without capacity, so that claims need not read past these rows. The number of rows is limited, so that no
   * claim waits long.
   */
  async parkCrowdedRows(): Promise<void> {
    const { database, queues } = this.#options;
    const { crowded } = queues;
    if (crowded.length === 0) return;
    for (const { queue } of crowded) queue.expectBacklog();
    const lines = crowded.map(({ line }) => line);
    await parkDue(database, lines, PARK_ROWS);
  }

  async #refill(refill: Refill): Promise<void> {
    const { recorder, onChange } = this.#options;
    this.#refills += 1;
    await refill.queue.refill(() => this.#claimParked(refill)).catch(recorder.reporter('claim a backlog'));
    this.#refills -= 1;
    onChange();
  }

  async #claimParked({ queue, rows: limit, leaveOut }: Refill): Promise<void> {
    const { database, lease, queues, recorder, orDoubt, pausedDestinations, isStopping } = this.#options;
    if (pausedDestinations.isPaused(queue.destination)) {
      // The backlog of a paused destination is not claimed. Its rows become due when the destination is resumed.
      queue.backlogClaimed();
      return;
    }
    const { rows, isMore, last } = await orDoubt(() =>
      claimParked(database, lease.leaseId, queue.destination, limit, { leaveOut, after: queue.lastServed }),
    );
    queue.lastServed = last;
    if (isStopping()) await recorder.release(rows);
    else queues.add(groupJobs(rows, () => queue.destination));
    if (isMore || leaveOut.length > 0) return;
    queue.backlogClaimed();
    await forgetDestination(database, queue.destination);
  }

  /** Parks the rows of a closed destination, with an event on each timeline that gives the reason. */
  async #parkIfClosed(queue: DestinationQueue): Promise<void> {
    const { queues, recorder } = this.#options;
    const { state } = queue;
    if (state.kind !== 'closed' && state.kind !== 'probing') return;
    const rows = queues.empty(queue).flatMap((job) => job.rows);
    await recorder.recordNotAttempted(rows, queue, state.reply);
  }

  async #parkUnstarted(queue: DestinationQueue, jobs: readonly Job[]): Promise<void> {
    const { database, lease, queues, orDoubt } = this.#options;
    queue.expectBacklog();
    const rows = jobs.flatMap((job) => job.rows);
    const isForOthers = !queues.hasSlot(queue.destination);
    await orDoubt(() => parkUnstarted(database, lease.leaseId, rows, queue.destination, { isForOthers }));
  }
}
