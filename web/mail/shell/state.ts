/** State of the shell besides the URL: small values that components watch. */
import { watched } from '../../ui/watched.ts';

/** When the installation stopped sending mail; null while it sends. */
export const notSendingSince = watched<string | null>(null);
/** Whether files of links are uploading, whatever page is shown. */
export const hasUploads = watched(false);
