/** The limits of the API log (docs/api-log.md). */

export const MAX_PER_KEY = 1_000;
/** Attack: a project with many keys would otherwise fill the disk. */
export const MAX_PER_PROJECT = 10_000;
export const LOG_DAYS = 7;
