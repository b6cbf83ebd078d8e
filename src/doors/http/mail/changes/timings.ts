import { fixed } from '../../../../model/fixed.ts';

export const TIMINGS = fixed({
  /** Between two events of one stream. */
  betweenEventsMs: 300,
  /** Something is said so often. */
  heartbeatMs: 20_000,
});
