/** How often a mailbox is open at once (docs/decisions/0049-signing-in.md). */

/** Sessions of one mailbox in a process, and those of them from one network. A mail app opens five to ten. */
export const MAX_SESSIONS = 200;
export const MAX_SESSIONS_OF_NETWORK = 100;
/** Sessions of the web client, of one mailbox: another one ends the one that was not used for the longest. */
export const MAX_WEB_SESSIONS = 100;
/** Mailboxes that one browser is signed in to. */
export const MAX_OF_BROWSER = 10;
