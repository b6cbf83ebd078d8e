/** State of the shell outside the URL, in small values that components subscribe to. */
import { watched } from '../../ui/watched.ts';

/** The overlay that is open. */
export const overlay = watched<'palette' | 'projects' | 'help' | null>(null);
/** New recovery codes from a sign-in. The shell shows nothing else until the user has stored the codes. */
export const newCodes = watched<readonly string[] | null>(null);
/**
 * The list of emails that the user came from: the emails before and after a given email, and the list's search
 * parameters. Each page with a list of emails sets this value.
 */
export const previousList = watched<{
  neighborsOf(id: string): { before?: string | undefined; after?: string | undefined };
  search: Readonly<Record<string, string>>;
}>({ neighborsOf: () => ({}), search: {} });
