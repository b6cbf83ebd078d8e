import { fixed } from '../../model/fixed.ts';

/** In milliseconds. */
export const TIMINGS = fixed({
  lookMs: 10_000,
  /** How far back the first look of a process goes: others may have been stopped for as long. */
  firstLookMs: 24 * 3_600_000,
  /** A transaction is committed, and its rows can be seen, so long after the time that they have. */
  commitMs: 30_000,
});
