/** Limits of concurrent sessions per mailbox (docs/decisions/0049-signing-in.md). */

/** Sessions of one mailbox in a process, and how many of them may be from one network. A mail app opens five to ten. */
export const MAX_SESSIONS = 200;
export const MAX_SESSIONS_OF_NETWORK = 100;
/** Sessions of the web client per mailbox. A further one ends the least recently used. */
export const MAX_WEB_SESSIONS = 100;
/** Mailboxes that one browser can be signed in to. */
export const MAX_OF_BROWSER = 10;
