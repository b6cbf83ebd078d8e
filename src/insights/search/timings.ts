import { fixed } from '../../model/fixed.ts';

/** Times of indexing emails, in milliseconds, except `rest`. */
export const TIMINGS = fixed({
  /** Pause between indexing passes, and the time limit of one pass. */
  scanMs: 2_000,
  lookLongestMs: 60_000,
  /** After each step, the indexer rests for this many times the duration of the step. It then takes a sixtieth of a processor's and a connection's time. */
  rest: 59,
  /** The minimum age for indexing. By this age, the transactions of earlier emails have nearly always ended. Younger emails are searched one by one. */
  minAgeMs: 5_000,
  /** By this age, all transactions have ended, so a segment that still lacks an email is rebuilt. */
  settledMs: 90_000,
});
