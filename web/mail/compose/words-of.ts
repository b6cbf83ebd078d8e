import { fieldErrors, messageOf } from '../../api/client.ts';

/** Why the service rejected a message: the field errors if the response has any. */
export function wordsOf(error: unknown): string {
  return [...new Set(Object.values(fieldErrors(error)))].join(' ') || messageOf(error);
}
