/** How long what signs people in is good for (docs/dashboard.md, Sessions). */

export const SESSION_IDLE_DAYS = 14;
/** However much a session is used. */
export const SESSION_DAYS = 90;
/** A user who just signed in, or was asked again, is not asked for so long. */
export const CONFIRMED_MS = 10 * 60_000;
/** Of one user: another one ends the one that was not used for the longest. */
export const MAX_SESSIONS = 100;
export const AUDIT_DAYS = 400;
/** How long a link works. */
export const WELCOME_HOURS = 24;
export const RESET_HOURS = 24;
export const INVITATION_HOURS = 7 * 24;
/** Of one organisation. */
export const MAX_INVITATIONS = 1_000;
/** From one step of signing in to the next. */
export const TICKET_MS = 10 * 60_000;
export const RECOVERY_CODES = 10;
/** Of one user. */
export const MAX_PASSKEYS = 50;
