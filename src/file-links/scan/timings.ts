import { fixed } from '../../model/fixed.ts';

/** When files are scanned, in milliseconds. */
export const TIMINGS = fixed({
  /** Pause between two polls for files. */
  scanMs: 1_000,
  /** A file without a result is retried after this. */
  againMs: 60_000,
});
