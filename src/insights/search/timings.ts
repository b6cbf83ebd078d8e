import { fixed } from '../../model/fixed.ts';

/** Times of indexing emails, in milliseconds, except `rest`. */
export const TIMINGS = fixed({
  /** Pause between indexing passes, and the time limit for one pass. */
  scanMs: 2_000,
  maxPassMs: 60_000,
  /** See `BackgroundScanOptions`. Longer than `settledMs`, so that the segments of the newest emails are settled in time. */
  idleMs: 120_000,
  /**
   * The time that the indexer rests after each step, as a multiple of the duration of the step. With this rest, indexing takes a sixtieth
   * of a processor's and a connection's time.
   */
  rest: 59,
  /**
   * The minimum age of emails for indexing. At this age, the transactions of earlier emails have nearly always ended. Younger emails are
   * searched one by one.
   */
  minAgeMs: 5_000,
  /** The age at which all transactions of earlier emails have ended. A segment that then lacks an email is rebuilt. */
  settledMs: 90_000,
});
