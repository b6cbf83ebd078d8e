import { fixed } from '../../model/fixed.ts';

/** In milliseconds. */
export const TIMINGS = fixed({
  scanMs: 10_000,
  /** How far back the first check of a process goes, because no worker may have run for that long. */
  firstLookMs: 24 * 3_600_000,
  /** How long after its timestamp a row may become visible, because its transaction commits later. */
  commitMs: 30_000,
});
