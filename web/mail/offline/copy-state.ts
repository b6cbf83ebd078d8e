import { watched } from '../../ui/watched.ts';

/** The state of the offline copy in this tab; null if there is no copy. */
export const copyState = watched<'keeping' | 'kept' | 'failed' | 'full' | null>(null);
