import { Link, useParams } from '@tanstack/react-router';
import type { Invitation } from '../../../../src/contract/mail/invitations.ts';
import { InfoIcon, WarningIcon } from '../../../ui/icons.tsx';
import { useMailbox } from '../../shell/session.ts';
import { whenInWords } from './invitation-times.ts';

type EventMessage = NonNullable<Invitation['unproven']>;

/** Later messages about the event: what the organizer has changed, and a warning of changes that are not proven to be the organizer's. */
export function NewerMessages({ invitation: { newest, unproven } }: { invitation: Invitation }) {
  return (
    <>
      {newest !== null && (
        <p className="mt-3 flex gap-2 rounded-md bg-sunken px-3 py-2 font-medium">
          <InfoIcon className="mt-[3px]" />
          <span className="min-w-0">
            {newestInWords(newest)}{' '}
            <MessageLink message={newest}>
              {newest.kind === 'cancelled' ? 'Show the cancellation' : 'Show the newest invitation'}
            </MessageLink>
          </span>
        </p>
      )}
      {unproven !== null && (
        <p role="note" className="mt-3 flex gap-2 rounded-md bg-warn-soft px-3 py-2 text-warn">
          <WarningIcon className="mt-[3px]" />
          <span className="min-w-0">
            {unproven.kind === 'cancelled'
              ? 'A message says that this event is cancelled, but its sender could not be verified. Ask the organizer.'
              : 'A message says that this event has changed, but its sender could not be verified. Ask the organizer.'}{' '}
            <MessageLink message={unproven}>Show the message</MessageLink>
          </span>
        </p>
      )}
    </>
  );
}

function newestInWords({ kind, start, end }: NonNullable<Invitation['newest']>): string {
  if (kind === 'cancelled') return 'The organizer has cancelled this event.';
  if (start === null) return 'Superseded: the organizer has sent a newer invitation.';
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return `Superseded: now ${whenInWords({ start, end }, zone)}.`;
}

/** Opens the message: within this conversation if it is there, otherwise in its own. */
function MessageLink({
  message: { message, conversation },
  children,
}: {
  message: EventMessage;
  children: string;
}) {
  const { address } = useMailbox();
  const { folder = 'inbox' } = useParams({ strict: false });
  return (
    <Link
      to="/$address/$folder/$conversation"
      params={{ address, folder, conversation }}
      className="text-accent underline"
      onClick={(event) => {
        const head = document.querySelector<HTMLElement>(`[data-message="${message}"] [data-message-head]`);
        if (head === null) return;
        event.preventDefault();
        if (head.getAttribute('aria-expanded') === 'false') head.click();
        head.focus({ preventScroll: true });
        head.closest('[data-message]')?.scrollIntoView({ block: 'start' });
      }}
    >
      {children}
    </Link>
  );
}
