/** What the whole shell knows beside the address: small values that parts of it watch. */
import { watched } from '../../ui/watched.ts';

/** Since when the installation sends no mail; null: it does. */
export const notSendingSince = watched<string | null>(null);
/** Files of links are on their way, whatever page is shown. */
export const hasUploads = watched(false);
