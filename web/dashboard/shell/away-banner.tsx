import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { WarningIcon } from '../../ui/icons.tsx';
import { sessionQuery } from './session.ts';
import { useWatched } from '../../ui/watched.ts';
import { isAway } from './state.ts';

const AGAIN_MS = 3_000;

/** While the server does not answer: says so, tries again, and takes up what pages wait for. */
export function AwayBanner() {
  const away = useWatched(isAway);
  const queries = useQueryClient();
  useEffect(() => {
    if (!away) return undefined;
    const timer = setInterval(() => {
      queries.fetchQuery({ ...sessionQuery, staleTime: 0, retry: false }).then(
        () => queries.invalidateQueries(),
        () => undefined,
      );
    }, AGAIN_MS);
    return () => clearInterval(timer);
  }, [away, queries]);
  return (
    <div role="status">
      {away && (
        <p className="flex items-center gap-2 bg-warn-soft px-3 py-2 text-warn sm:px-6">
          <WarningIcon />
          The server does not answer. What you see may be old; this is tried again.
        </p>
      )}
    </div>
  );
}
