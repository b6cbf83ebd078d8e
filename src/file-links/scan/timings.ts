import { fixed } from '../../model/fixed.ts';

/** When files are looked at, in milliseconds. */
export const TIMINGS = fixed({
  /** Between two looks for files. */
  lookMs: 1_000,
  /** A file of which ClamAV gave no answer is tried again after this. */
  againMs: 60_000,
});
