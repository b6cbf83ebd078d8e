/** Banners above every page of the dashboard. */
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Session } from '../../../src/contract/dashboard/session.ts';
import { Banner, UnsentBanner } from '../../shell/banner.tsx';
import { isAway } from '../../shell/connection.ts';
import { useWatched } from '../../ui/watched.ts';
import { nameOfRequirement, unmetRequirementsOf } from './unmet-requirements.ts';
import { sessionQuery } from './session.ts';

const AGAIN_MS = 3_000;

/** A banner shown while the server does not respond. Retries until the server responds, then reloads all data. */
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
    <Banner isShown={away}>The server does not respond. What you see may be out of date. Retrying…</Banner>
  );
}

/** Names organizations that require a stronger sign-in while other projects are accessible, with a link to the set-up. */
export function UnmetRequirementsBanner({ session }: { session: Session }) {
  const unmet = unmetRequirementsOf(session);
  return (
    <Banner isShown={unmet.length > 0}>
      {unmet.map(nameOfRequirement).join(', ')} requires a stronger sign-in.{' '}
      <Link to="/account" className="font-medium underline">
        Open account
      </Link>
    </Banner>
  );
}

/** Shown while the installation sends no mail. Operators also see how to fix the configuration. */
export function Unsent({ session: { service, user } }: { session: Session }) {
  return (
    <UnsentBanner since={service.not_sending_since}>
      {user.is_operator ? (
        <>
          Emails are queued but not sent. POSTHORN_PROVIDER is not set or does not match this installation.{' '}
          <Link to="/system" className="font-medium underline">
            Show checks
          </Link>
        </>
      ) : (
        'Emails are queued but not sent until the operators of this server fix its configuration.'
      )}
    </UnsentBanner>
  );
}
