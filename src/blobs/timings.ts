import { fixed } from '../model/fixed.ts';

/** How patient the service is with the place of its objects, and with what nobody refers to, in milliseconds. */
export const TIMINGS = fixed({
  connectMs: 5_000,
  /** For one request with its whole answer: 40 MiB at 2 MiB a second. */
  requestMs: 20_000,
  /** Before the second try; each later one waits twice as long. */
  retryMs: 200,
  /** An object without a row is deleted when it is so old. A row is refused to one that is half as old. */
  strayMs: 24 * 60 * 60_000,
});
