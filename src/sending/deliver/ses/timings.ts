import { fixed } from '../../../model/fixed.ts';

/** How long a worker waits for Amazon SES, in milliseconds. */
export const TIMINGS = fixed({
  /** How often the account's rate is queried. */
  accountEveryMs: 5 * 60_000,
  /** The first pause in sending when SES is unavailable. Each further pause is twice as long as the previous one, up to `lastBackoffMs`. */
  firstBackoffMs: 1_000,
  lastBackoffMs: 60_000,
  quotaMs: 5 * 60_000,
  /**
   * The retry delay after an error that concerns all mail. It can be shorter than the usual delay, because no message is sent while SES is
   * unavailable.
   */
  retryMs: 60_000,
  tooFastRetryMs: 2_000,
  warnEveryMs: 5 * 60_000,
});
