/** Finds out whether destinations that failed, and senders that were refused, are back: row after row, until one has an answer. */
import {
  claimParked,
  forgetDestination,
  rememberProbe,
  type WaitingDestination,
} from '../../queue/destinations.ts';
import { domainOf } from '../../queue/rejected-senders.ts';
import { FIRST_STREAM, type ProjectStream } from '../../queue/fair-shares.ts';
import type { DestinationChangesOptions } from './destination-changes.ts';
import { type DestinationAvailability, heard } from './destination-state.ts';
import type { DestinationQueue } from './destination-queue.ts';
import { groupJobs, type Job } from './job.ts';
import type { RejectedSenders } from './rejected-senders.ts';

/** Most failing destinations let their probe wait for as long as it may: those must not take up all places. */
const MAX_PROBES = 50;
/** Senders that a destination may refuse in a row before it counts as closed to all. */
const MAX_REFUSED = 64;
/** Probes of a destination that keeps silent end after this. */
const ROUND_MS = 5 * 60_000;

export interface DestinationProbesOptions extends DestinationChangesOptions {
  /** Attempts one job of a destination that is being probed. Resolves when that is over, however it ended. */
  probe(job: Job): Promise<void>;
}

/** Probes of a closed destination, one after the other. */
interface Round {
  /** On the clock of `performance.now`. */
  startedMs: number;
  /** Senders that it refused, and had not refused before. */
  refused: number;
}

export class DestinationProbes {
  readonly #options: DestinationProbesOptions;
  readonly #senders: RejectedSenders;
  readonly #rounds = new Map<DestinationQueue, Round>();
  #underWay = 0;

  constructor(options: DestinationProbesOptions, senders: RejectedSenders) {
    this.#options = options;
    this.#senders = senders;
  }

  /** How many more may be begun. */
  get capacity(): number {
    return MAX_PROBES - this.#underWay;
  }

  async begin(destination: WaitingDestination): Promise<void> {
    const { queues, recorder, onChange } = this.#options;
    const { name, failures } = destination;
    const queue = queues.get(domainOf(name));
    const probed = name === queue.destination ? queue : this.#senders.get(name);
    probed.probe(failures, heard(destination));
    if (probed === queue) this.#rounds.set(queue, { startedMs: performance.now(), refused: 0 });
    this.#underWay += 1;
    await this.#findOut(probed, queue, destination.probed ?? FIRST_STREAM).catch(
      recorder.reporter('probe a destination'),
    );
    this.#underWay -= 1;
    if (probed === queue) this.#rounds.delete(queue);
    onChange();
  }

  /**
   * A destination that is probed refuses a sender that it did not refuse before. Two such senders close it at first. Each round
   * that fails tries twice as many, so that senders that are refused for good keep the others from their turn for hours, not for days.
   * @param failures of the destination in a row
   * @returns whether the destination counts as closed to all
   */
  refusesAnother(queue: DestinationQueue, failures: number): boolean {
    const round = this.#rounds.get(queue);
    if (round === undefined) return true;
    round.refused += 1;
    if (round.refused < 2) return false;
    const isLate = performance.now() - round.startedMs > ROUND_MS;
    return isLate || round.refused >= Math.min(2 ** failures, MAX_REFUSED);
  }

  /** @param after whose row was the last probe */
  async #findOut(
    probed: DestinationAvailability,
    queue: DestinationQueue,
    after: ProjectStream,
  ): Promise<void> {
    const { database, lease, recorder, orDoubt, probe, holds, isStopping } = this.#options;
    const name = probed.destination;
    while (probed.state.kind === 'probing' && !isStopping()) {
      if (holds.isHeld(queue.destination)) {
        probed.forget();
        if (probed !== queue) this.#senders.delete(name);
        return;
      }
      const { rows, isMore, last } = await orDoubt(() =>
        claimParked(database, lease.leaseId, name, 1, { after }),
      );
      after = last;
      const [job] = groupJobs(rows, () => queue.destination);
      // Another worker may hold the row whose turn it is.
      if (job === undefined && isMore) continue;
      if (job === undefined) {
        probed.forget();
        if (probed !== queue) this.#senders.delete(name);
        await forgetDestination(database, name);
      } else if (isStopping()) {
        await recorder.release(rows);
      } else {
        await probe(probed === queue ? job : { ...job, probes: probed });
      }
    }
    if (probed.unavailable !== null && !isStopping()) await rememberProbe(database, name, after);
  }
}
