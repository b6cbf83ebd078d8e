import { fixed } from '../model/fixed.ts';

/** The intervals of a worker's background work, and its stop timeouts, in milliseconds. */
export const TIMINGS = fixed({
  tickMs: 1_000,
  /** Between checks for leases that are over. */
  judgeMs: 5_000,
  /** Between deletions of expired data. */
  clearMs: 10 * 60_000,
  foldMs: 60_000,
  /** The time limit of one batch that puts rows back which were set aside for another kind of provider: there may be millions. */
  rejoinMs: 2_000,
  /** A stop may take ten seconds, and a part is reserved for later steps. */
  stopGraceMs: 7_000,
  /** The timeout of a retired lease: long enough for the slowest reply to a final dot. */
  retireGraceMs: 15 * 60_000,
});
