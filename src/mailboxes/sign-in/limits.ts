/** Limits on concurrent sessions per mailbox (docs/decisions/0049-signing-in.md). */

/**
 * The maximum number of sessions of a mailbox in one process: in total, and from one network (`MAX_SESSIONS_OF_NETWORK`). A mail app opens
 * five to ten.
 */
export const MAX_SESSIONS = 200;
export const MAX_SESSIONS_OF_NETWORK = 100;
/** The maximum number of web client sessions per mailbox. Beyond this limit, each new session ends the least recently used session. */
export const MAX_WEB_SESSIONS = 100;
/** Maximum number of mailboxes that one browser can be signed in to. */
export const MAX_OF_BROWSER = 10;
