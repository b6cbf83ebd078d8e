import { watched } from '../../ui/watched.ts';

/** The subject of the open conversation, for the title of the page. Null if no conversation is open. */
export const openSubject = watched<string | null>(null);
