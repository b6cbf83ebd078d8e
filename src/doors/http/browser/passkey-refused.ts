import { AppError } from '../../../model/app-error.ts';

export function passkeyRefused(): AppError {
  return new AppError('sign-in-refused', 'This passkey is not known here, or the answer came too late.');
}
