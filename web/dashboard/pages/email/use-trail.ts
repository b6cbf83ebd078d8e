import { trail, useWatched } from '../../shell/state.ts';

interface Places {
  before: string | undefined;
  behind: string | undefined;
  /** Of the address of the list. */
  search: Readonly<Record<string, string>>;
}

/** What stands before and behind an email in the list that one came from; nothing where there was none. */
export function useTrail(id: string): Places {
  const { ids, search } = useWatched(trail);
  const at = ids.indexOf(id);
  return { before: at < 1 ? undefined : ids[at - 1], behind: at === -1 ? undefined : ids[at + 1], search };
}
