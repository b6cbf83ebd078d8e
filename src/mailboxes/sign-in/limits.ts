/** How often a mailbox is open at once (docs/decisions/0049-signing-in.md). */

/** Sessions of one mailbox in a process, and those of them from one network. A mail app opens five to ten. */
export const MAX_SESSIONS = 200;
export const MAX_SESSIONS_OF_NETWORK = 100;
