import { fixed } from '../../model/fixed.ts';

/** Delays of indexing. */
export const TIMINGS = fixed({
  /**
   * Messages younger than this are left to the next segment. Object ids are in the order of commits, except for clock differences between machines and
   * for running transactions; none of these lasts as long as this.
   */
  minAgeMs: 60_000,
  /** A message whose object id is older than the message by more than this may be covered by an existing segment. The other half of `minAgeMs` is for clock differences. */
  lateMs: 30_000,
  /** A pause after each segment, which takes about a second, to leave resources for deliveries and requests. */
  restMs: 500,
});
