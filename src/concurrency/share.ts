/** Divides a limit of the whole installation among its processes. */

/** The position of this process among the processes that share a limit. All of them have the same `count`, and each a different `index`. */
export interface WorkerShare {
  /** A number from 0 to `count - 1`. */
  readonly index: number;
  readonly count: number;
}

/** The share of a process that has the whole limit to itself. */
export const FULL_SHARE: WorkerShare = { index: 0, count: 1 };

/** The part of `total` that belongs to this process. The parts add up to `total` and differ by at most one. */
export function partOf(total: number, { index, count }: WorkerShare): number {
  return Math.floor(total / count) + (index < total % count ? 1 : 0);
}

/**
 * Selects up to `most` (at least 1) processes that may use a resource, and returns the share of this process among them. Null if this
 * process was not selected.
 * @param rotation changes which processes are selected. Pass a different number for each resource, so that not all resources are used by
 * the same processes
 */
export function shareAmong(most: number, { index, count }: WorkerShare, rotation = 0): WorkerShare | null {
  const position = (index + rotation) % count;
  return position < most ? { index: position, count: Math.min(most, count) } : null;
}
