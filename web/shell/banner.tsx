import type { ReactNode } from 'react';
import { useWatched } from '../ui/watched.ts';
import { local } from '../ui/times.ts';
import { connection } from './connection.ts';
import { WarningIcon } from '../ui/icons.tsx';
import { Time } from '../ui/time.tsx';

interface BannerProps {
  isShown: boolean;
  children: ReactNode;
}

/** A warning above the page. Screen readers announce the warning when it appears. */
export function Banner({ isShown, children }: BannerProps) {
  return (
    <div role="status">
      {isShown && (
        <p className="flex items-start gap-2 bg-warn-soft px-3 py-2 text-warn sm:px-6">
          <WarningIcon className="mt-0.5" />
          <span>{children}</span>
        </p>
      )}
    </div>
  );
}

const WORDS = {
  ok: 'Connection lost.',
  slow: 'The server is slow to respond.',
  unready: 'The server is not ready.',
  away: 'The server does not respond.',
  offline: 'You are offline.',
} as const;

/**
 * Shown while the server does not respond, or takes long.
 * @param isLost whether the page has lost a connection on which the server reports changes, although the server responds
 */
export function ConnectionBanner({ isLost = false }: { isLost?: boolean }) {
  const { state, reason, heardAt } = useWatched(connection);
  const isAway = state === 'away' || state === 'offline';
  return (
    <Banner isShown={isLost || state !== 'ok'}>
      <span className="font-medium">{WORDS[state]}</span> {reason}{' '}
      {state === 'slow'
        ? 'Still loading…'
        : `What you see may be out of date${isAway && heardAt !== null ? `: the last response was at ${local.second(heardAt)}` : ''}. Reconnecting…`}
    </Banner>
  );
}

interface UnsentBannerProps {
  /** Null while the installation sends mail. */
  since: string | null;
  /** The consequences for the user. */
  children: ReactNode;
}

/** Shown while the installation sends no mail. */
export function UnsentBanner({ since, children }: UnsentBannerProps) {
  return (
    <Banner isShown={since !== null}>
      <span className="font-medium">
        Sending stopped <Time value={since} />.
      </span>{' '}
      {children}
    </Banner>
  );
}
