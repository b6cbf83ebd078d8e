import { fixed } from '../../model/fixed.ts';

/** The timings of scans, in milliseconds. */
export const TIMINGS = fixed({
  /** Pause between two polls for unscanned files. */
  scanMs: 1_000,
  /** The time after which a file whose scan failed is scanned again. */
  retryMs: 60_000,
});
