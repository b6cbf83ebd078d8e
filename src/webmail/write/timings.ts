import { fixed } from '../../model/fixed.ts';

/** Time limits for sending. */
export const TIMINGS = fixed({
  /** The time for which sending can be undone. */
  undoMs: 10_000,
  /** The duration of a claim on a message. After a process is killed, other processes can claim its messages when this time has passed. */
  claimMs: 30_000,
});
