import { watched } from '../../ui/watched.ts';

/** How far the offline copy of this tab is. Null: nothing is kept. */
export const copyState = watched<'keeping' | 'kept' | 'failed' | 'full' | null>(null);
