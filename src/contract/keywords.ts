/** Keywords of ours in the schemas. This file imports nothing: a thread that validates has no need of what makes schemas. */

/** How many bytes of UTF-8 a string may take at most. `maxLength` counts characters. */
export const MAX_BYTES_KEYWORD = 'x-max-bytes';
