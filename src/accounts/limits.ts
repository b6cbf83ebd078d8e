/** Lifetimes of sessions and links (docs/dashboard.md, Sessions). */

export const SESSION_IDLE_DAYS = 14;
/** The maximum lifetime of a session, however much it is used. */
export const SESSION_DAYS = 90;
/** How long after a sign-in or a confirmation the user is not asked to confirm again. */
export const CONFIRMED_MS = 10 * 60_000;
/** Maximum number of sessions per user. Beyond this number, each new session ends the least recently used session. */
export const MAX_SESSIONS = 100;
export const AUDIT_DAYS = 400;
/** The lifetimes of links. */
export const WELCOME_HOURS = 24;
export const RESET_HOURS = 24;
export const INVITATION_HOURS = 7 * 24;
/** Maximum number of open invitations per organization. */
export const MAX_INVITATIONS = 1_000;
/** The maximum time between two steps of signing in. */
export const TICKET_MS = 10 * 60_000;
export const RECOVERY_CODES = 10;
/** Maximum number of passkeys per user. */
export const MAX_PASSKEYS = 50;
