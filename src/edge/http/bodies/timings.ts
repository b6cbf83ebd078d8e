/** Times that tests shorten. */
export const TIMINGS = {
  /** After this long without a large body the thread ends. Starting it takes a tenth of a second. */
  threadIdleMs: 20_000,
};
