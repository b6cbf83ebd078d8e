import type { Job } from './job.ts';

/** The maximum total size of large messages in flight. A single message may exceed it if nothing else is in flight. */
const MAX_OCTETS = 32 * 1024 * 1024;
/** Messages up to this size and larger messages never wait for each other, because servers may accept large messages very slowly. */
const SMALL_OCTETS = 64 * 1024;

/** The memory that large messages occupy while they are in flight. */
export class LargeMessages {
  #octets = 0;

  /**
   * Returns a function that decides for one job after another whether the job may begin together with the jobs admitted before.
   * @param isNothingInFlight if true, the first job may begin whatever its size
   */
  admission(isNothingInFlight: boolean): (job: Job) => boolean {
    let octets = this.#octets;
    let mayAddLarge = true;
    let isFirst = isNothingInFlight;
    return (job) => {
      const size = largeOctetsOf(job);
      const fits = size === 0 || isFirst || (mayAddLarge && octets + size <= MAX_OCTETS);
      // No large job may overtake a large job that has to wait.
      mayAddLarge &&= fits;
      if (fits) octets += size;
      isFirst = false;
      return fits;
    };
  }

  /** Reserves memory for copies of the message. @returns a function that releases the memory */
  hold(job: Job, copies: number): () => void {
    const octets = largeOctetsOf(job) * copies;
    this.#octets += octets;
    return () => {
      this.#octets -= octets;
    };
  }
}

/** The maximum number of copies in memory at a time if each recipient has a separate copy. */
export function maxCopies(job: Job): number {
  const atOnce = Math.max(Math.floor(MAX_OCTETS / largeOctetsOf(job)), 1);
  return Math.min(job.rows.length, atOnce);
}

/** The size of a large job's message, in octets. 0 for a small job. */
function largeOctetsOf(job: Job): number {
  const octets = job.rows[0]?.octets ?? 0;
  return octets > SMALL_OCTETS ? octets : 0;
}
