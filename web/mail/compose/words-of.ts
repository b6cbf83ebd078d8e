import { fieldErrors, messageOf } from '../../api/client.ts';

/** Why the service refused something of a message: what it says of the fields, where it does. */
export function wordsOf(error: unknown): string {
  return [...new Set(Object.values(fieldErrors(error)))].join(' ') || messageOf(error);
}
