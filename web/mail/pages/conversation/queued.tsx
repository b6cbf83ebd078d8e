import { useQuery } from '@tanstack/react-query';
import type { MailMessage } from '../../../../src/contract/mail/messages.ts';
import { WarningIcon } from '../../../ui/icons.tsx';
import { waitingQuery } from '../../reading/queries.ts';
import { useMailbox } from '../../shell/session.ts';

/** Why a sent message is still queued: an operator has to decide about it, and the owner cannot see that elsewhere. */
export function Queued({ message: { id, authentication, draft } }: { message: MailMessage }) {
  const { mailbox } = useMailbox();
  // Mail that was received from others was checked on its way in.
  const { data } = useQuery({
    ...waitingQuery(mailbox, id),
    enabled: authentication.verdict === 'unknown' && !draft,
  });
  if (data === undefined || data.other_provider === null) return null;
  return (
    <p
      role="note"
      className="flex items-start gap-2 rounded-md bg-warn-soft px-3 py-2 text-sm wrap-anywhere text-warn"
    >
      <WarningIcon className="mt-0.5" />
      <span>
        <span className="font-medium">
          Queued for {data.recipients} {data.recipients === 1 ? 'recipient' : 'recipients'}.
        </span>{' '}
        {data.other_provider === 'sandbox'
          ? 'Accepted while this server was a sandbox, so it is not sent. The people who run the server can release or withdraw it.'
          : 'Accepted for real delivery, and this server is a sandbox now. It waits, and none of its retries are used up.'}
      </span>
    </p>
  );
}
