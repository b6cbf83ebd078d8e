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
/** How many people are shown until the user asks for more. */
const SHOWN = 5;

/** The organizer and the invited people, with the responses that were known when the organizer sent the invitation. */
export function InvitationPeople({ invitation }: { invitation: Invitation }) {
  const { organizer, attendees, attendees_total: total } = invitation;
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? attendees : attendees.slice(0, SHOWN);
  return (
    <>
      <ul className="grid gap-0.5">
        {organizer !== null && (
          <li className="wrap-anywhere">
            <Name {...organizer} /> <span className="text-sm text-muted">organizer</span>
          </li>
        )}
        {shown.map((attendee, at) => (
          <li key={at} className="wrap-anywhere">
            {attendee.is_me ? <strong className="font-medium">You</strong> : <Name {...attendee} />}{' '}
            <span className="text-sm text-muted">
              {WORDS[attendee.answer]}
              {attendee.is_optional && ', optional'}
            </span>
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
function Name({ name, address }: { name: string | null; address: string | null }) {
  if (name === null) return address ?? 'Unknown address';
  return (
    <>
      {name} {address !== null && address !== name && <span className="text-muted">{address}</span>}
    </>
  );
}
