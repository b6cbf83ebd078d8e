import { fixed } from '../../model/fixed.ts';

/** Delays of indexing. */
export const TIMINGS = fixed({
  /**
   * Messages younger than this are left to the next segment. At a lower age, a running transaction, or a machine whose clock is behind, may
   * still add a message with a lower object id, which would be missing in the segment.
   */
  minAgeMs: 60_000,
  /**
   * A message is late if its object id was created more than this before the message was stored: segments may already cover newer messages.
   * `minAgeMs` is greater, to allow for clock differences.
   */
  lateMs: 30_000,
  /** The pause after each segment, to leave resources for deliveries and requests. Building a segment takes about a second. */
  pauseMs: 500,
});
