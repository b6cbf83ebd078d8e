import { TIMINGS } from './timings.ts';

/** The shortest delay. The last attempt is made at the very end of the three days, and at least this long after the previous attempt. */
const LEAST_DELAY_MS = 60_000;

/**
 * The delay after a number of attempts, in milliseconds.
 * @param jitter from 0 to 1; spreads the retries of a burst over a tenth of the delay
 */
export function delayAfterMs(attempts: number, jitter: number): number {
  const { retryDelaysMs } = TIMINGS;
  return (retryDelaysMs[attempts - 1] ?? retryDelaysMs.at(-1) ?? 0) * (1 + jitter / 10);
}

/**
 * The delay after the attempt that just ended, in milliseconds. Null: the email is abandoned. The pause starts again after an attempt that
 * a person requested. Such attempts do not lengthen the pause: it is never longer than the schedule makes it at this age.
 * @param attempt the number of the attempt; the first attempt is 1
 * @param ageMs the age of the email
 * @param jitter from 0 to 1
 */
export function nextDelayMs(attempt: number, ageMs: number, jitter: number): number | null {
  const { abandonAfterMs } = TIMINGS;
  if (ageMs >= abandonAfterMs) return null;
  let scheduled = 1;
  for (
    let atMs = delayAfterMs(1, 0);
    scheduled < attempt && atMs <= ageMs;
    atMs += delayAfterMs(scheduled, 0)
  )
    scheduled++;
  const delayMs = delayAfterMs(scheduled, jitter);
  return Math.round(Math.min(delayMs, Math.max(abandonAfterMs - ageMs, LEAST_DELAY_MS)));
}
