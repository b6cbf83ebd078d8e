/** Limits for the contacts of a mailbox (docs/web-client.md, People). */

/** The maximum number of contacts that a user saved, and also of addresses that were found in mail. */
export const MAX_CONTACTS = 10_000;
/** The maximum number of digests of forgotten addresses. The oldest digests are removed first. */
export const MAX_FORGOTTEN = 10_000;
export const MAX_SUGGESTIONS = 10;
/** How many people of a directory are listed beside the contacts. A search finds the others. */
export const MAX_LISTED_MEMBERS = 1_000;
/** The maximum length of a name that was found in mail. */
export const MAX_FOUND_NAME = 256;
