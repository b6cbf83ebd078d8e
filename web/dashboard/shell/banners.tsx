/** Banners above every page of the dashboard. */
import { Link } from '@tanstack/react-router';
import type { Session } from '../../../src/contract/dashboard/session.ts';
import { Banner, UnsentBanner } from '../../shell/banner.tsx';
import { Time } from '../../ui/time.tsx';
import { Cause, useHealth } from './health.tsx';
import { useSession } from './session.ts';
import { nameOfRequirement, unmetRequirementsOf } from './unmet-requirements.ts';

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

/** Shown while no process can send. Operators also see the cause. */
export function Stopped() {
  const { service, user } = useSession();
  const health = useHealth();
  const isStopped = health === undefined ? service.not_sending_since !== null : health.state === 'stopped';
  const since = health === undefined ? service.not_sending_since : health.since;
  return (
    <Banner isShown={isStopped}>
      <span className="font-medium">
        Sending stopped{since !== null && ' '}
        {since !== null && <Time value={since} />}.
      </span>{' '}
      {user.is_operator ? (
        <>
          Emails are queued but not sent. <Cause />
        </>
      ) : (
        'Emails are queued but not sent until the operators of this server fix the problem.'
      )}
    </Banner>
  );
}

/** Like `Stopped`, for the pages without a project. Only a wrong configuration is reported there. */
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
