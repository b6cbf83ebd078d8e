import { useWatched } from '../../ui/watched.ts';
import { WarningIcon } from '../../ui/icons.tsx';
import { isAway } from '../shell/state.ts';
import { isLive } from './events.ts';

/** While nothing is heard of the mailbox: what is seen may be old. */
export function LiveBanner() {
  const live = useWatched(isLive);
  const away = useWatched(isAway);
  return (
    <div role="status">
      {(live === false || away) && (
        <p className="flex items-center gap-2 bg-warn-soft px-3 py-2 text-warn sm:px-6">
          <WarningIcon />
          The connection is lost. What you see may be old; it is taken up again by itself.
        </p>
      )}
    </div>
  );
}
