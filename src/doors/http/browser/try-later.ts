import { AppError } from '../../../model/app-error.ts';

/** The error for a sign-in that is rejected for a while. */
export function tryLater(retryAfterSeconds: number): AppError {
  return new AppError(
    'rate-limited',
    'There were too many wrong passwords, or too many people are signing in right now. Wait for the number of seconds in Retry-After.',
    { retryAfterSeconds },
  );
}
