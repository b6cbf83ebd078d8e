/** How a limit that holds for all processes together is divided among them. */

/** Which of those that share something this is. The others see the same `count`, and each another `index`. */
export interface WorkerShare {
  /** From 0, less than `count`. */
  readonly index: number;
  readonly count: number;
}

/** Nobody else shares it. */
export const WHOLE: WorkerShare = { index: 0, count: 1 };

/** This one's part of a number of whole things. The parts of all make up the number, and differ by one at the most. */
export function partOf(total: number, { index, count }: WorkerShare): number {
  return Math.floor(total / count) + (index < total % count ? 1 : 0);
}

/**
 * The share where no more than `most` may have one, at least 1; null: others have them.
 * @param turn whose turn it is to be the first, so that not all things have the same holders
 */
export function shareAmong(most: number, { index, count }: WorkerShare, turn = 0): WorkerShare | null {
  const place = (index + turn) % count;
  return place < most ? { index: place, count: Math.min(most, count) } : null;
}
