/** State of the shell besides the URL: small values that components watch. */
import { watched } from '../../ui/watched.ts';

/** The overlay that is open. */
export const overlay = watched<'palette' | 'help' | null>(null);
/** New recovery codes of a sign-in. Nothing else is shown until the user has stored them. */
export const newCodes = watched<readonly string[] | null>(null);
/**
 * The list of emails that the user came from: the neighbours of each email, and the list's search parameters. Pages
 * with such a list set this value.
 */
export const trail = watched<{
  around(id: string): { before?: string | undefined; behind?: string | undefined };
  search: Readonly<Record<string, string>>;
}>({ around: () => ({}), search: {} });
