import { fixed } from '../../../model/fixed.ts';

/** How long a worker waits for Amazon SES, in milliseconds. */
export const TIMINGS = fixed({
  /** How often the account is asked for its rate. */
  accountEveryMs: 5 * 60_000,
  /** While SES stays away nothing is sent: at first for this long, then twice as long each time, up to the last. */
  firstBackoffMs: 1_000,
  lastBackoffMs: 60_000,
  quotaMs: 5 * 60_000,
  /** After a word on all mail: sooner than the next try of a message would come. While SES stays away nothing is sent anyway. */
  retryMs: 60_000,
  tooFastRetryMs: 2_000,
  warnEveryMs: 5 * 60_000,
});
