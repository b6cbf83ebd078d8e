import { AppError } from '../../../model/app-error.ts';

/** The error for a sign-in that is rejected until a time limit has passed. */
export function tryLater(retryAfterSeconds: number): AppError {
  return new AppError(
    'rate-limited',
    'Too many wrong passwords were entered, or too many users are signing in right now. Wait for the number of seconds in Retry-After.',
    { retryAfterSeconds },
  );
}
