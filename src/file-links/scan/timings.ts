import { fixed } from '../../model/fixed.ts';

/** When files are scanned, in milliseconds. */
export const TIMINGS = fixed({
  /** Pause between two polls for unscanned files. */
  scanMs: 1_000,
  /** A file whose scan failed is scanned again after this time. */
  againMs: 60_000,
});
