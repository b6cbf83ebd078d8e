import { fixed } from '../../model/fixed.ts';

/** Delays of indexing. */
export const TIMINGS = fixed({
  /**
   * Messages younger than this are left to the next segment. Object ids are in the order of commits, except for clock differences between
   * machines and for running transactions. Both exceptions last less than this time.
   */
  minAgeMs: 60_000,
  /**
   * If the object id of a message was created more than this before the message was stored, segments may already cover newer messages. The
   * rest of `minAgeMs` allows for clock differences.
   */
  lateMs: 30_000,
  /** The pause after each segment, to leave resources for deliveries and requests. Building a segment takes about a second. */
  pauseMs: 500,
});
