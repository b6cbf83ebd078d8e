/** By themselves: whoever looks at a password has no need of what makes schemas. */

/** In characters (docs/contract.md, Limits). */
export const MIN_PASSWORD_LENGTH = 12;
export const MAX_PASSWORD_BYTES = 1_024;
