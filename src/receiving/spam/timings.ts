import { fixed } from '../../model/fixed.ts';

/** Time limits for rspamd. */
export const TIMINGS = fixed({
  /** The time limit for a response in milliseconds, including the time to connect. */
  rspamdMs: 2_000,
  /** Milliseconds after a failure in which rspamd is not queried. Otherwise, each message would wait two seconds while rspamd is down. */
  rspamdRestMs: 10_000,
});
