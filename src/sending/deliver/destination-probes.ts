/** Probes destinations that failed and senders that were rejected: attempts row after row until an attempt has a clear outcome. */
import {
  claimParked,
  forgetDestination,
  rememberProbe,
  type WaitingDestination,
} from '../../queue/destinations.ts';
import { domainOf } from '../../queue/rejected-senders.ts';
import { FIRST_STREAM, type ProjectStream } from '../../queue/fair-shares.ts';
import type { DestinationChangesOptions } from './destination-changes.ts';
import { type DestinationAvailability, lastReplyOf } from './destination-state.ts';
import type { DestinationQueue } from './destination-queue.ts';
import { groupJobs, type Job } from './job.ts';
import type { RejectedSenders } from './rejected-senders.ts';

/**
 * The maximum number of concurrent probes. Most probes of failing destinations wait until their timeout, so probes must not use all slots.
 */
const MAX_PROBES = 50;
/** The number of senders that a destination may reject consecutively before it counts as closed for all senders. */
const MAX_REFUSED = 64;
/** The time limit of a round of probes. */
const ROUND_MS = 5 * 60_000;

export interface DestinationProbesOptions extends DestinationChangesOptions {
  /** Attempts one job of a destination that is being probed. Resolves when the attempt has ended, whatever the outcome. */
  probe(job: Job): Promise<void>;
}

/** A round in which a closed destination is probed repeatedly, one probe after another. */
interface Round {
  /** When the round started, on the clock of `performance.now`. */
  startedMs: number;
  /** The number of senders that were rejected in this round but not before. */
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

  /** The number of further probes that may begin. */
  get capacity(): number {
    return MAX_PROBES - this.#underWay;
  }

  async begin(destination: WaitingDestination): Promise<void> {
    const { queues, recorder, onChange } = this.#options;
    const { name, failures } = destination;
    const queue = queues.get(domainOf(name));
    const probed = name === queue.destination ? queue : this.#senders.get(name);
    probed.probe(failures, lastReplyOf(destination));
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
   * Called when a probed destination rejects another sender. In the first round, two rejected senders close the destination. After each
   * failed round, twice as many senders are tried, so that permanently rejected senders delay mail from other senders for hours instead of
   * days.
   * @param failures consecutive failures of the destination
   * @returns whether the destination counts as closed for all senders
   */
  refusesAnother(queue: DestinationQueue, failures: number): boolean {
    const round = this.#rounds.get(queue);
    if (round === undefined) return true;
    round.refused += 1;
    if (round.refused < 2) return false;
    const isLate = performance.now() - round.startedMs > ROUND_MS;
    return isLate || round.refused >= Math.min(2 ** failures, MAX_REFUSED);
  }

  /** @param after the stream whose row was probed last */
  async #findOut(
    probed: DestinationAvailability,
    queue: DestinationQueue,
    after: ProjectStream,
  ): Promise<void> {
    const { database, lease, recorder, orDoubt, probe, pausedDestinations, isStopping } = this.#options;
    const name = probed.destination;
    while (probed.state.kind === 'probing' && !isStopping()) {
      if (pausedDestinations.isPaused(queue.destination)) {
        probed.forget();
        if (probed !== queue) this.#senders.delete(name);
        return;
      }
      const { rows, isMore, last } = await orDoubt(() =>
        claimParked(database, lease.leaseId, name, 1, { after }),
      );
      after = last;
      const [job] = groupJobs(rows, () => queue.destination);
      // No job, although rows are left: another worker may have claimed the next row.
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
