import { fixed } from '../model/fixed.ts';

/** How often is looked for what is old, and how it is deleted beside other work, in milliseconds. */
export const TIMINGS = fixed({
  /** Between the end of a look and the next one; and so long a look goes on, whatever is left. */
  lookMs: 60_000,
  /** After a batch, at least; and as long as the batch took. */
  pauseMs: 20,
  /**
   * An email is in the database so long after its id was made, at the latest: a walk in the order of the ids goes no
   * nearer to now.
   */
  commitMs: 60_000,
  /** After partitions were not to be dropped, since others hold locks or work came to them. */
  dropAfterBusyMs: 10 * 60_000,
  /** How long dropping waits for the lock of one table, while all who come to it wait behind: below 2 s for all seven. */
  dropLockMs: 250,
  /** How long it is known what a mailbox has sent: longer than an attempt may wait, and than the limits of a day look back. */
  submissionsMs: 7 * 24 * 60 * 60_000,
  /** Between looks for copies of the sandbox that are old. */
  sandboxMs: 60 * 60_000,
  /** Between counts of what projects use. */
  usageMs: 60 * 60_000,
  /** Between looks for bytes that nobody refers to, and the age from which they go. */
  blobsMs: 60 * 60_000,
  unusedMs: 60 * 60_000,
  /** Between looks for objects without a row. */
  objectsMs: 24 * 60 * 60_000,
  /** A request that was arriving when its project was deleted is over by then. */
  lateRequestMs: 10 * 60_000,
  /** How long erasing waits for what is on the wire. */
  onTheWireMs: 30_000,
  onTheWireRetryMs: 500,
});
