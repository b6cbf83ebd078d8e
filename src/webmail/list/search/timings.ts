import { fixed } from '../../../model/fixed.ts';

export const TIMINGS = fixed({
  /**
   * Milliseconds after which an answer has what was found by then, and says so. Each looks at some messages at least: the next one goes on
   * behind them.
   */
  searchMs: 1_500,
});
