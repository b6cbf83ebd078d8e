import { useWatched } from '../../../ui/watched.ts';
import { trail } from '../../shell/state.ts';

interface Places {
  before: string | undefined;
  behind: string | undefined;
  /** Of the address of the list. */
  search: Readonly<Record<string, string>>;
}

/** What stands before and behind an email in the list that one came from; nothing where there was none. */
export function useTrail(id: string): Places {
  const { around, search } = useWatched(trail);
  const { before, behind } = around(id);
  return { before, behind, search };
}
