import { fixed } from '../../model/fixed.ts';

/** In milliseconds. */
export const TIMINGS = fixed({
  /** The delay before a report on a message in flight is tried again. */
  lookAgainMs: 250,
  /** The number of attempts. After the last one the report itself is filed. */
  looks: 9,
});
