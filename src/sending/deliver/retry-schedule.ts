import { TIMINGS } from './timings.ts';

/** The shortest delay. The last attempt is made at the very end of the three days, and at least this long after the previous attempt. */
const LEAST_DELAY_MS = 60_000;

/**
 * The delay after the attempt that just ended, in milliseconds. Null: the email is abandoned.
 * @param attempt the number of the attempt; the first attempt is 1
 * @param ageMs the age of the email
 * @param jitter from 0 to 1; spreads the retries of a burst over a tenth of the delay
 */
export function nextDelayMs(attempt: number, ageMs: number, jitter: number): number | null {
  const { retryDelaysMs, abandonAfterMs } = TIMINGS;
  if (ageMs >= abandonAfterMs) return null;
  const delayMs = (retryDelaysMs[attempt - 1] ?? retryDelaysMs.at(-1) ?? 0) * (1 + jitter / 10);
  return Math.round(Math.min(delayMs, Math.max(abandonAfterMs - ageMs, LEAST_DELAY_MS)));
}
