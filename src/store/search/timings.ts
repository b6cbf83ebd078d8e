import { fixed } from '../../model/fixed.ts';

/** How long the indexing of words waits. */
export const TIMINGS = fixed({
  /**
   * Younger messages are left to the next segment. The order of object ids is that of commits, but for what a clock of one
   * machine is off and for transactions that are not done yet; none lasts so long.
   */
  minAgeMs: 60_000,
  /** A message whose object id is so much older than itself may be behind a segment: half of the above is for clocks that are off. */
  lateMs: 30_000,
  /** A rest after each segment, which takes about a second: deliveries and requests go on meanwhile. */
  restMs: 500,
});
