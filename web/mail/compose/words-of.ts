import { fieldErrors, messageOf } from '../../api/client.ts';

/** The reason why the service rejected a message: the field errors, or the error message if there are no field errors. */
export function wordsOf(error: unknown): string {
  return [...new Set(Object.values(fieldErrors(error)))].join(' ') || messageOf(error);
}
