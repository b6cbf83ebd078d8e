import { fixed } from '../../../model/fixed.ts';

export const TIMINGS = fixed({
  /**
   * After this long a search returns the matches found so far and marks the response as incomplete. Each search checks at least some
   * messages, so the next search makes progress.
   */
  searchMs: 1_500,
});
