import { fixed } from '../../model/fixed.ts';

/** Timings of programs that wait for messages. */
export const TIMINGS = fixed({
  /** A waiting program checks for messages at least this often, because a notice may be lost. */
  pollMs: 5_000,
});
