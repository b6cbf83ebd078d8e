import type { SessionList as List } from '../../src/contract/dashboard/users.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Time } from '../ui/time.tsx';
import { browserOf } from './browser-of.ts';

interface SessionListProps {
  sessions: List['data'];
  /** The one that is just being ended. */
  ending: string | undefined;
  onEnd(id: string): void;
}

export function SessionList({ sessions, ending, onEnd }: SessionListProps) {
  return (
    <ul className="divide-y divide-line" aria-label="Sessions">
      {sessions.map(({ id, is_current: isCurrent, address, user_agent: agent, last_used_at: usedAt }) => (
        <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2.5">
          <div className="min-w-0 flex-1 basis-52">
            <p className="flex flex-wrap items-center gap-2 font-medium" title={agent}>
              {browserOf(agent)} {isCurrent && <Badge tone="info">This one</Badge>}
            </p>
            <p className="text-sm text-muted">
              {address}, <Time value={usedAt} />
            </p>
          </div>
          {!isCurrent && (
            <Button
              kind="quiet"
              aria-label={`End the session of ${browserOf(agent)} at ${address}`}
              isBusy={ending === id}
              onClick={() => onEnd(id)}
            >
              End
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}
