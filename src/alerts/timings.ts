import { DAY_MS, HOUR_MS } from '../model/day.ts';
import { fixed } from '../model/fixed.ts';

/** Times of alerts, in milliseconds, except `rest`. */
export const TIMINGS = fixed({
  /** The interval between two checks of all subscriptions. */
  checkMs: 60_000,
  /** How often each process looks for messages to send. */
  pollMs: 5_000,
  /** A problem is reported when it has lasted this long, so that a restart of a worker is not reported. */
  lastsMs: 60_000,
  /** A problem that returns within this time after it was reported as resolved is not reported again before this time has passed. */
  restMs: HOUR_MS,
  /**
   * How long the check waits if it is not known whether mail is sent, before it reads the state again: longer than the time for which a
   * worker may be missing while it is replaced (`insights/health/sending-health.ts`).
   */
  settleMs: 3_500,
  /** The rest after each step of a check, as a multiple of the duration of the step. */
  rest: 1,
  /** The time limit of an email, from waiting for a slot to the reply. After this time, its final dot is no longer written. */
  sendMs: 60_000,
  /** How long a claim of a message lasts. A process that has not written the outcome by then counts as dead. */
  claimMs: 120_000,
  /** The delay after the first failed attempt. It doubles after each later attempt, up to `maxDelayMs`. */
  firstDelayMs: 30_000,
  maxDelayMs: HOUR_MS,
  /** A message that could not be sent for this long is dropped. */
  keepMs: DAY_MS,
  /** The minimum pause between two tests of a subscription. */
  testMs: 5_000,
});
