import { useState } from 'react';
import type { Invitation } from '../../../../src/contract/mail/invitations.ts';

type Attendee = Invitation['attendees'][number];

const WORDS: Readonly<Record<Attendee['answer'], string>> = {
  accepted: 'accepted',
  tentative: 'maybe',
  declined: 'declined',
  delegated: 'delegated',
  none: 'no response',
};
/** The same for the reader, as sentences. */
const OWN_WORDS: Readonly<Record<Attendee['answer'], string>> = {
  accepted: 'You accepted',
  tentative: 'You responded maybe',
  declined: 'You declined',
  delegated: 'You delegated',
  none: 'You haven’t responded',
};
/** How many people are shown until the user asks for more. */
const SHOWN = 5;

/** The invited people, with the responses that were known when the organizer sent the invitation. */
export function InvitationPeople({ invitation }: { invitation: Invitation }) {
  const { attendees, attendees_total: total } = invitation;
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? attendees : attendees.slice(0, SHOWN);
  return (
    <>
      <ul className="grid gap-0.5">
        {shown.map((attendee, at) => (
          <li key={at} className="wrap-anywhere">
            {attendee.is_me ? (
              <strong className="font-medium">{OWN_WORDS[attendee.answer]}</strong>
            ) : (
              <>
                <PersonName {...attendee} />{' '}
                <span className="text-sm text-muted">{WORDS[attendee.answer]}</span>
              </>
            )}
            {attendee.is_optional && <span className="text-sm text-muted"> (optional)</span>}
          </li>
        ))}
      </ul>
      {attendees.length > SHOWN && (
        <button
          type="button"
          aria-expanded={isOpen}
          className="mt-1 text-sm font-medium text-accent hover:underline"
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? 'Show fewer' : `Show all ${attendees.length}`}
        </button>
      )}
      {isOpen && total > attendees.length && (
        <p className="text-sm text-muted">and {total - attendees.length} more</p>
      )}
    </>
  );
}

/** A person. Senders choose names freely, so the address is always shown next to the name. */
export function PersonName({ name, address }: { name: string | null; address: string | null }) {
  if (name === null) return <bdi>{address ?? 'Unknown address'}</bdi>;
  return (
    <>
      <bdi>{name}</bdi> {address !== null && address !== name && <bdi className="text-muted">{address}</bdi>}
    </>
  );
}
