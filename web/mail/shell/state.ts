/** What the whole shell knows beside the address: small values that parts of it watch. */
import { watched } from '../../ui/watched.ts';

/** The server does not answer. */
export const isAway = watched(false);
/** Since when the installation sends no mail; null: it does. */
export const notSendingSince = watched<string | null>(null);
/** The menu, where there is no room for it beside the page. */
export const isMenuOpen = watched(false);
/** Somebody is asked who they are; called with whether they proved it. */
export const confirmation = watched<{ mailbox: string; settle(isConfirmed: boolean): void } | null>(null);
/** Files of links are on their way, whatever page is shown. */
export const hasUploads = watched(false);
