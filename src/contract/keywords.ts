/** Custom schema keywords. This file imports nothing: threads that only validate do not need the schema builder. */

/** The maximum number of UTF-8 bytes in a string. `maxLength` counts characters. */
export const MAX_BYTES_KEYWORD = 'x-max-bytes';

/**
 * The maximum number of elements in a list before the list is processed, to bound the work. Users see the lower limit in the list's
 * `description`, and errors mention only that limit. `maxItems` would look like a second limit.
 */
export const MAX_LISTED_KEYWORD = 'x-max-listed';
