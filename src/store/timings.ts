/** How soon others learn of changes, in milliseconds. */
export const TIMINGS = {
  /** Changes of so long are one notice. */
  coalesceMs: 10,
  /** Everybody who shows a mailbox looks so often, in case a notice was lost. */
  lookMs: 60_000,
};
