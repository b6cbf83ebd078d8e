import { AppError } from '../../../model/app-error.ts';

export function passkeyRejected(): AppError {
  return new AppError('sign-in-refused', 'This passkey is not known here, or the answer came too late.');
}
