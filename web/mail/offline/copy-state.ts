import { watched } from '../../ui/watched.ts';

/** The state of the offline copy in this tab. Null without one. */
export const copyState = watched<'keeping' | 'kept' | 'failed' | 'full' | null>(null);
