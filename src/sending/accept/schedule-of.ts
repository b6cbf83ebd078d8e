/** When an email is to be sent (docs/contract.md, Sending later). */
import * as clock from '../../model/clock.ts';
import { validationError } from '../../model/app-error.ts';
import { DAY_MS } from '../../model/day.ts';

const MAX_DAYS = 30;
/** Clocks differ, and a request that got no answer is sent again. What is older is the wrong year or time zone. */
const LATE_MS = 5 * 60_000;

/** @param text a date-time; absent: at once, which is null @throws AppError validation-failed */
export function scheduleOf(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const time = new Date(text);
  const aheadMs = time.getTime() - clock.nowMs();
  if (aheadMs < -LATE_MS)
    throw validationError({ scheduled_at: 'is in the past; leave it out to send at once' });
  if (aheadMs > MAX_DAYS * DAY_MS)
    throw validationError({ scheduled_at: `is more than ${MAX_DAYS} days ahead` });
  return time;
}
