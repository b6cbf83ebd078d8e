import { AppError } from '../../../model/app-error.ts';

export function passkeyRejected(): AppError {
  return new AppError(
    'sign-in-refused',
    'This passkey is not registered here, or the sign-in timed out. Try again.',
  );
}
