import { fixed } from '../../../../model/fixed.ts';

export const TIMINGS = fixed({
  /** The minimum time between two events of one stream. */
  betweenEventsMs: 300,
  /** The interval of heartbeats. */
  heartbeatMs: 20_000,
});
