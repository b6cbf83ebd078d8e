/** Keywords of ours in the schemas. This file imports nothing: a thread that validates has no need of what makes schemas. */

/** How many bytes of UTF-8 a string may take at most. `maxLength` counts characters. */
export const MAX_BYTES_KEYWORD = 'x-max-bytes';

/**
 * How many elements a list may have before it is read, which bounds the work on it. What its `description` says is the limit that people
 * need to know, and is what they are told: `maxItems` would be a second one.
 */
export const MAX_LISTED_KEYWORD = 'x-max-listed';
