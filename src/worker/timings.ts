import { fixed } from '../model/fixed.ts';

/** How often a worker looks around, and how long it takes to stop, in milliseconds. */
export const TIMINGS = fixed({
  tickMs: 1_000,
  /** Between looks for leases that are over. */
  judgeMs: 5_000,
  /** Between clearings of what has outlived its time. */
  clearMs: 10 * 60_000,
  foldMs: 60_000,
  /** Rows that were set aside for another kind of provider are put back for so long at a time: there may be millions. */
  rejoinMs: 2_000,
  /** A stop may take ten seconds, and some of them are for what comes after. */
  stopGraceMs: 7_000,
  /** A lease that is retired has all the patience that the reply to a final dot may need. */
  retireGraceMs: 15 * 60_000,
});
