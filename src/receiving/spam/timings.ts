import { fixed } from '../../model/fixed.ts';

/** How long rspamd may take. */
export const TIMINGS = fixed({
  /** Milliseconds for its answer, connection and all. */
  rspamdMs: 2_000,
  /** Milliseconds after a failure for which it is not asked: mail does not wait two seconds each while it is away. */
  rspamdRestMs: 10_000,
});
