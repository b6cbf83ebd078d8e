/** State of the shell outside the URL, in small values that components subscribe to. */
import { watched } from '../../ui/watched.ts';

/** The time at which the installation stopped sending mail; null while mail is sent. */
export const notSendingSince = watched<string | null>(null);
/** Whether linked files are uploading, independent of the current page. */
export const hasUploads = watched(false);
