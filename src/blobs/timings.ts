import { fixed } from '../model/fixed.ts';

/** Timings for the object store and for deleting unreferenced objects, in milliseconds. */
export const TIMINGS = fixed({
  connectMs: 5_000,
  /** The time limit for one request with its whole response: 40 MiB at 2 MiB/s. */
  requestMs: 20_000,
  /** The pause before the second attempt. The pause doubles before each later attempt. */
  retryMs: 200,
  /** Unreferenced objects are deleted at this age. A new row cannot reference an object older than half this age. */
  strayMs: 24 * 60 * 60_000,
});
