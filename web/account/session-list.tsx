import type { SessionList as List } from '../../src/contract/dashboard/users.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Time } from '../ui/time.tsx';

interface SessionListProps {
  sessions: List['data'];
  /** The session that is being ended. */
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
              {browserOf(agent)} {isCurrent && <Badge tone="info">This session</Badge>}
            </p>
            <p className="text-sm text-muted">
              {address}, <Time value={usedAt} />
            </p>
          </div>
          {!isCurrent && (
            <Button
              kind="quiet"
              aria-label={`Sign out ${browserOf(agent)} at ${address}`}
              isBusy={ending === id}
              onClick={() => onEnd(id)}
            >
              Sign out
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The first match is used, so the order matters: a user agent also names the browsers that it imitates. */
const BROWSERS = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Headless)?(?:Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
] as const;
const SYSTEMS = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
] as const;

/** The browser and system of a session, such as `Firefox on Windows`. */
function browserOf(userAgent: string): string {
  const browser = BROWSERS.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? 'Unknown browser';
  const system = SYSTEMS.find(([, pattern]) => pattern.test(userAgent))?.[0];
  return system === undefined ? browser : `${browser} on ${system}`;
}
