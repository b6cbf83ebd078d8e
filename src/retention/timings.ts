import { fixed } from '../model/fixed.ts';

/** Timings for the deletion of expired data, in milliseconds. */
export const TIMINGS = fixed({
  /** Pause between passes, and the time limit of one pass. */
  scanMs: 60_000,
  /**
   * Pause between deletions of data that may be deleted minutes late: data with a retention of days, and guesses, links, tickets and
   * sessions, which have no effect once they have expired. Each search for it is a commit.
   */
  tidyMs: 10 * 60_000,
  /** The minimum pause after a batch. The pause is as long as the batch if the batch took longer. */
  pauseMs: 20,
  /**
   * The longest time between the creation of an email's id and the commit of the email. A scan in the order of ids stays this far behind
   * the current time.
   */
  commitMs: 60_000,
  /** The wait after partitions could not be dropped, because of other locks or new work. */
  dropAfterBusyMs: 10 * 60_000,
  /**
   * Lock timeout per table when partitions are dropped. Other statements wait in the meantime: in total less than 2 s for all seven tables.
   */
  dropLockMs: 250,
  /** Retention of submissions. Longer than the maximum wait before an attempt, and longer than the period of daily limits. */
  submissionsMs: 7 * 24 * 60 * 60_000,
  /** Pause between scans for old sandbox copies. */
  sandboxMs: 60 * 60_000,
  /** Pause between usage counts. */
  usageMs: 60 * 60_000,
  /** Pause between scans for unreferenced blobs. `unusedMs`: a blob is deleted only if its last use was at least this long ago. */
  blobsMs: 60 * 60_000,
  unusedMs: 60 * 60_000,
  /** Pause between scans for objects without a row. */
  objectsMs: 24 * 60 * 60_000,
  /** After this time, requests that were in progress when their project was deleted have ended. */
  lateRequestMs: 10 * 60_000,
  /** Maximum time for which an erasure waits for a message in flight. */
  inFlightWaitMs: 30_000,
  inFlightRetryMs: 500,
});
