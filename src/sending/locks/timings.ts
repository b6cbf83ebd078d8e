import { fixed } from '../../model/fixed.ts';

/** Timings in milliseconds. */
export const TIMINGS = fixed({
  scanMs: 10_000,
  /** The period that the first check of a process covers. Long, because possibly no worker has run for that long. */
  firstLookMs: 24 * 3_600_000,
  /** How long after its timestamp a row may become visible, because its transaction commits later. */
  commitMs: 30_000,
});
