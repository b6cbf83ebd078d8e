/** Custom schema keywords. This file has no imports, so that threads that only validate need not load the schema builder. */

/** The maximum number of UTF-8 bytes in a string. `maxLength` counts characters. */
export const MAX_BYTES_KEYWORD = 'x-max-bytes';

/**
 * The maximum number of elements in a list before the list is processed, to limit the work. The `description` of the list states the lower
 * limit for users, and errors mention only the lower limit. `maxItems` would look like a second limit.
 */
export const MAX_LISTED_KEYWORD = 'x-max-listed';

/** Marks a value that gives its holder access: a key, a password, a token, a ticket or a link. */
export const SECRET_KEYWORD = 'x-secret';
