/** Custom schema keywords. This file has no imports, so that threads that only validate need not load the schema builder. */

/** The maximum number of UTF-8 bytes in a string. `maxLength` counts characters. */
export const MAX_BYTES_KEYWORD = 'x-max-bytes';

/**
 * A longer list is rejected unread, to limit the work. The number of elements that users may send is lower. Only that number is in the
 * `description` of the list and in errors, so this is not `maxItems`, which would look like a second limit.
 */
export const MAX_LISTED_KEYWORD = 'x-max-listed';

/** Marks a value that gives its holder access: a key, a password, a token, a ticket or a link. */
export const SECRET_KEYWORD = 'x-secret';

/**
 * Marks a field of a request that contains what people write to each other, or data about a person that this service does not need to
 * deliver mail. The API log stores such a field only if the project stores the bodies of its emails (`redact.ts`).
 */
export const CONTENT_KEYWORD = 'x-content';
