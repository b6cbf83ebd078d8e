import type { Job } from './job.ts';

/** A large message begins where the large ones in flight are no larger than this with it, or there is nothing in flight. */
const MAX_OCTETS = 32 * 1024 * 1024;
/** Messages up to this size do not wait for larger ones, which may be with very slow servers. Nor the other way round. */
const SMALL_OCTETS = 64 * 1024;

/** The memory that large messages take while they are in flight. */
export class LargeMessages {
  #octets = 0;

  /**
   * What may begin together, asked of one job after the other.
   * @param isNothingInFlight then the first may, however large it is
   */
  admission(isNothingInFlight: boolean): (job: Job) => boolean {
    let octets = this.#octets;
    let mayAddLarge = true;
    let isFirst = isNothingInFlight;
    return (job) => {
      const size = largeOctetsOf(job);
      const fits = size === 0 || isFirst || (mayAddLarge && octets + size <= MAX_OCTETS);
      // A large one that has to wait is not overtaken by others that are less large.
      mayAddLarge &&= fits;
      if (fits) octets += size;
      isFirst = false;
      return fits;
    };
  }

  /** Takes the memory of so many copies of the message. @returns gives it back */
  hold(job: Job, copies: number): () => void {
    const octets = largeOctetsOf(job) * copies;
    this.#octets += octets;
    return () => {
      this.#octets -= octets;
    };
  }
}

/** How many of the copies may be there at a time, where each recipient has one. */
export function maxCopies(job: Job): number {
  const atOnce = Math.max(Math.floor(MAX_OCTETS / largeOctetsOf(job)), 1);
  return Math.min(job.rows.length, atOnce);
}

/** 0 for a small one. */
function largeOctetsOf(job: Job): number {
  const octets = job.rows[0]?.octets ?? 0;
  return octets > SMALL_OCTETS ? octets : 0;
}
