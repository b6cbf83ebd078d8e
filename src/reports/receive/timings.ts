import { fixed } from '../../model/fixed.ts';

/** All times are in milliseconds. */
export const TIMINGS = fixed({
  /** The delay before a report on a message in flight is retried. */
  retryMs: 250,
  /** The maximum number of attempts. After the last attempt the report itself is delivered to the mailbox. */
  maxAttempts: 9,
});
