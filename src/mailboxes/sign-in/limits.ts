/** Limits of concurrent sessions per mailbox (docs/decisions/0049-signing-in.md). */

/** Maximum number of sessions of a mailbox in a process: in total, and from one network. A mail app opens five to ten. */
export const MAX_SESSIONS = 200;
export const MAX_SESSIONS_OF_NETWORK = 100;
/** Maximum number of web client sessions per mailbox. Beyond it, each new session ends the least recently used one. */
export const MAX_WEB_SESSIONS = 100;
/** Maximum number of mailboxes that one browser can be signed in to. */
export const MAX_OF_BROWSER = 10;
