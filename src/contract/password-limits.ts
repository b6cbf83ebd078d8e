/** The limits on passwords, in a separate file so that code that checks passwords need not load the schema builder. */

/** The minimum length in characters (docs/contract.md, Limits). */
export const MIN_PASSWORD_LENGTH = 12;
export const MAX_PASSWORD_BYTES = 1_024;
