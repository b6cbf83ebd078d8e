/** Banners above every page of the dashboard. */
import { Link } from '@tanstack/react-router';
import type { Session } from '../../../src/contract/dashboard/session.ts';
import { Banner, UnsentBanner } from '../../shell/banner.tsx';
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
