import { Link } from '@tanstack/react-router';
import type { Session } from '../../../src/contract/dashboard/session.ts';
import { UnsentBanner } from '../../ui/unsent-banner.tsx';

/** Tells everyone that nothing leaves, and operators what to do about it. */
export function Unsent({ session: { service, user } }: { session: Session }) {
  return (
    <UnsentBanner since={service.not_sending_since}>
      {user.is_operator ? (
        <>
          Emails are accepted and wait. POSTHORN_PROVIDER is not set, or does not fit this installation.{' '}
          <Link to="/system" className="font-medium underline">
            Show checks
          </Link>
        </>
      ) : (
        'Emails are accepted and wait. They go out once the people who run this server have set it up again.'
      )}
    </UnsentBanner>
  );
}
