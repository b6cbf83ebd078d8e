import { fieldErrors, messageOf } from '../../api/client.ts';

/** Why the service rejected a message: its field errors if there are any. */
export function wordsOf(error: unknown): string {
  return [...new Set(Object.values(fieldErrors(error)))].join(' ') || messageOf(error);
}
