import { fixed } from '../../model/fixed.ts';

/** Timings in milliseconds. */
export const TIMINGS = fixed({
  scanMs: 10_000,
  /**
   * The pause between checks while no mail was rejected for this long. A check covers all time since the last check, so no rejection is
   * missed.
   */
  idleMs: 60_000,
  /** The period that the first check of a process covers. Long, because possibly no worker has run for that long. */
  firstLookMs: 24 * 3_600_000,
  /**
   * The maximum time between the timestamp of a row and the moment when the row becomes visible. The transaction that writes the row
   * commits after the timestamp.
   */
  commitMs: 30_000,
});
