/** The errors for valid emails that exceed a limit. */
import { AppError, unavailable } from '../../model/app-error.ts';
import { timeOf } from '../../model/ids.ts';
import { secondsToNextMonth } from '../../model/month.ts';
import { PLAN_LIMITS, type Plan } from '../../model/plans.ts';
import type { NewEmail } from './insert-emails.ts';

export function tooManyWaiting(): AppError {
  return unavailable('Too many emails are waiting to be stored. Try again in a few seconds.');
}

/** @param batch how many emails the request has, and how many of them the plan still allows; the rest of the batch is refused with them */
export function quotaExceeded(
  { emailId }: NewEmail,
  plan: Plan,
  batch: { size: number; left: number } = { size: 1, left: 0 },
): AppError {
  const limit = PLAN_LIMITS[plan].apiEmailsPerMonth;
  const { size, left } = batch;
  return new AppError(
    'quota-exceeded',
    left === 0
      ? `The project has sent the ${limit} emails that its plan allows in a month (UTC). Wait for the next month or change the plan.`
      : `The batch has ${size} emails, but the plan of the project allows only ${left} more this month (UTC), of ${limit}. Send fewer emails, wait for the next month or change the plan.`,
    { retryAfterSeconds: secondsToNextMonth(timeOf(emailId)) },
  );
}

export function storageExceeded({ html, text }: NewEmail): AppError {
  const error = 'exceeds the storage of the plan; change the plan';
  return new AppError(
    'plan-limit-exceeded',
    'This email would need more storage than the plan of the project allows. Change the plan.',
    { errors: { ...(html !== null && { html: error }), ...(text !== null && { text: error }) } },
  );
}
