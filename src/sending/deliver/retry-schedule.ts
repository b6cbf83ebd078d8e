/** When a temporary failure is tried again: soon at first, then every few hours, for three days. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DELAYS_MS = [
  1 * MINUTE_MS,
  3 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  1 * HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
];
const LAST_DELAY_MS = 6 * HOUR_MS;

/** RFC 5321, section 4.5.4.1 asks for four to five days at least for relays; a password reset is stale long before. */
export const GIVE_UP_AFTER_MS = 72 * HOUR_MS;

/**
 * The delay after the attempt that ended now, or null to give up.
 * @param attempt the attempt's number, from 1
 * @param ageMs the email's age
 * @param jitter from 0 to 1: spreads the retries of a burst over a tenth of the delay
 */
export function nextDelayMs(attempt: number, ageMs: number, jitter: number): number | null {
  const delayMs = (DELAYS_MS[attempt - 1] ?? LAST_DELAY_MS) * (1 + jitter / 10);
  if (ageMs >= GIVE_UP_AFTER_MS) return null;
  // The last attempt comes at the end of the three days, not hours before.
  return Math.round(Math.min(delayMs, Math.max(GIVE_UP_AFTER_MS - ageMs, MINUTE_MS)));
}
