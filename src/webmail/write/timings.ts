import { fixed } from '../../model/fixed.ts';

/** Time limits for sending. */
export const TIMINGS = fixed({
  /** How long sending can be undone. */
  undoMs: 10_000,
  /** How long a process holds a claim on a message. After a process is killed, others can claim its messages once this time has passed. */
  claimMs: 30_000,
});
