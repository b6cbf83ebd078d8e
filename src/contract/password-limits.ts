/** In a file of their own: code that checks passwords does not need the schema builder. */

/** In characters (docs/contract.md, Limits). */
export const MIN_PASSWORD_LENGTH = 12;
export const MAX_PASSWORD_BYTES = 1_024;
