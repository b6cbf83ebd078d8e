import { Link } from '@tanstack/react-router';
import { buttonClass } from '../../ui/button.tsx';
import { PageHeader } from '../../ui/page-header.tsx';

interface AccessEndedProps {
  /** The address of the shared mailbox. */
  address: string;
  /** The address of the user's own mailbox. */
  own: string;
}

/** Shown instead of the pages of a shared mailbox after the user's access was revoked. */
export default function AccessEnded({ address, own }: AccessEndedProps) {
  return (
    <div role="alert" className="px-4 pt-6 sm:px-6">
      <PageHeader title="Your access has ended" description={`${address} is no longer shared with you.`} />
      <Link to="/$address" params={{ address: own }} className={buttonClass()}>
        Go to your Inbox
      </Link>
    </div>
  );
}
