/** What the whole shell knows beside the address: small values that parts of it watch. */
import { watched } from '../../ui/watched.ts';

/** What is open above the page. */
export const overlay = watched<'palette' | 'help' | null>(null);
/** Recovery codes that a sign-in has just made, until they are written down: nothing else is shown meanwhile. */
export const newCodes = watched<readonly string[] | null>(null);
/** The list of emails that one came from: what stands beside each, and what stands in its address. Whoever shows such a list sets it. */
export const trail = watched<{
  around(id: string): { before?: string | undefined; behind?: string | undefined };
  search: Readonly<Record<string, string>>;
}>({ around: () => ({}), search: {} });
