import { AppError } from '../../../../model/app-error.ts';

/** Also the answer to another project's id and to a malformed one. */
export function noSuchDomain(): AppError {
  return new AppError('not-found', 'There is no such domain in this project.');
}
