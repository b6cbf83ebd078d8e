import { AppError } from '../../../model/app-error.ts';

/** The error for a sign-in that is rejected for a while. */
export function tryLater(retryAfterSeconds: number): AppError {
  return new AppError(
    'rate-limited',
    'There were too many wrong passwords, or too many sign in at the moment. Wait for the seconds that Retry-After names.',
    { retryAfterSeconds },
  );
}
