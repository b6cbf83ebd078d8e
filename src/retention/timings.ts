import { fixed } from '../model/fixed.ts';

/** How often expired data is deleted, and at which pace, in milliseconds. */
export const TIMINGS = fixed({
  /** Pause between passes, and the time limit of one pass. */
  scanMs: 60_000,
  /** The least pause after a batch; otherwise it is as long as the batch took. */
  pauseMs: 20,
  /**
   * The longest time between the creation of an email's id and its commit: a scan in the order of ids stays this far
   * behind the current time.
   */
  commitMs: 60_000,
  /** Wait after partitions could not be dropped, because of other locks or new work. */
  dropAfterBusyMs: 10 * 60_000,
  /** How long dropping waits for the lock of one table, while other statements queue behind it: below 2 s for all seven. */
  dropLockMs: 250,
  /** How long a mailbox's sent messages are kept: longer than an attempt may wait, and than daily limits look back. */
  submissionsMs: 7 * 24 * 60 * 60_000,
  /** Pause between scans for old copies of the sandbox. */
  sandboxMs: 60 * 60_000,
  /** Pause between usage counts. */
  usageMs: 60 * 60_000,
  /** Pause between scans for unreferenced blobs, and the age from which they are deleted. */
  blobsMs: 60 * 60_000,
  unusedMs: 60 * 60_000,
  /** Pause between scans for objects without a row. */
  objectsMs: 24 * 60 * 60_000,
  /** A request in progress when its project was deleted has ended by then. */
  lateRequestMs: 10 * 60_000,
  /** How long erasing waits for messages in flight. */
  onTheWireMs: 30_000,
  onTheWireRetryMs: 500,
});
