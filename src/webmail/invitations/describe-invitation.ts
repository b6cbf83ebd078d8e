/** Describes the calendar of a message for the mailbox owner. */
import type { Invitation } from '../../contract/mail/invitations.ts';
import { isOwnAddress, type OwnAddresses } from '../../mailboxes/own-addresses.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import type { Attendee, CalendarEvent, CalendarTime } from '../../rfc/icalendar/calendar-event.ts';
import { encodeId } from '../../model/ids.ts';
import { isProved } from '../read/sender/authentication-words.ts';
import { linkedText } from '../read/text/text-blocks.ts';
import type { EventMessage, NewerMessages } from './event-messages.ts';
import type { StoredInvitationReply } from './stored-replies.ts';
import type { ReadInvitation } from './invitation-reader.ts';

interface Known extends NewerMessages {
  own: OwnAddresses;
  /** The mailbox's stored reply to the event; null if there is none. */
  kept: StoredInvitationReply | null;
  /** The event in `newest`; null if it is cancelled or cannot be read. */
  changed: CalendarEvent | null;
}

export function describeInvitation(
  invitation: ReadInvitation,
  { own, kept, newest, changed, unproven }: Known,
): Invitation {
  const { event, part, copies } = invitation;
  const invited = invitedAs(event, own);
  const kind = kindOf(event);
  const isCurrent = kept !== null && kept.sequence >= event.sequence;
  return {
    kind,
    summary: event.summary,
    description: event.description === null ? [] : linkedText(event.description),
    location: event.location === null ? [] : linkedText(event.location),
    conference: event.conference,
    start: timeOf(event.start),
    end: event.end && timeOf(event.end),
    repeats: event.repeats,
    recurrence: event.recurrence && timeOf(event.recurrence),
    organizer: event.organizer,
    attendees: event.attendees.map((attendee) => ({
      name: attendee.name,
      address: attendee.address,
      answer: attendee.answer,
      is_optional: attendee.isOptional,
      is_me: isOwn(attendee.address, own),
      // The file may be older than the reply.
      ...(isCurrent && attendee === invited && { answer: kept.answer }),
    })),
    attendees_total: event.attendeesTotal,
    comment: event.comment,
    others: event.others,
    warnings: warningsOf(invitation, kind, invited),
    part,
    copies,
    invited_as: invited?.address ?? null,
    can_answer: mayReply(event, own) && newest === null,
    answer: kept && {
      answer: kept.answer,
      answered_at: kept.answeredAt.toISOString(),
      is_current: isCurrent,
    },
    newest: newest && {
      ...addressOf(newest),
      start: changed && timeOf(changed.start),
      end: changed?.end ? timeOf(changed.end) : null,
    },
    unproven: unproven && addressOf(unproven),
  };
}

function addressOf({ objectId, threadId, event }: EventMessage): NonNullable<Invitation['unproven']> {
  return {
    kind: event.isCancelled ? 'cancelled' : 'update',
    message: encodeId('msg', objectId),
    conversation: encodeId('thr', threadId),
  };
}

/** Whether the mailbox can reply: the event is an invitation, it has an organizer to reply to, and the mailbox was invited. */
export function mayReply(event: CalendarEvent, own: OwnAddresses): boolean {
  const { organizer } = event;
  const kind = kindOf(event);
  return (
    (kind === 'invitation' || kind === 'update') &&
    event.uid !== '' &&
    organizer?.address != null &&
    !isOwn(organizer.address, own) &&
    invitedAs(event, own) !== null
  );
}

/** The first attendee whose address delivers to this mailbox. */
export function invitedAs({ attendees }: CalendarEvent, own: OwnAddresses): Attendee | null {
  return attendees.find(({ address }) => isOwn(address, own)) ?? null;
}

function isOwn(address: string | null, own: OwnAddresses): boolean {
  const parsed = parseMailbox(address ?? '');
  return !('error' in parsed) && isOwnAddress(parsed, own);
}

function kindOf({ method, isCancelled, sequence }: CalendarEvent): Invitation['kind'] {
  if (method === 'reply') return 'reply';
  if (isCancelled) return 'cancelled';
  if (method === 'counter' || method === 'declinecounter') return 'proposal';
  if (method === 'request' || method === 'add') return sequence > 0 ? 'update' : 'invitation';
  return 'event';
}

function timeOf({ local, isAllDay, zone, atMs }: CalendarTime): Invitation['start'] {
  return { local, is_all_day: isAllDay, zone, at: atMs === null ? null : new Date(atMs).toISOString() };
}

function warningsOf(
  { event, from, authentication }: ReadInvitation,
  kind: Invitation['kind'],
  invited: Attendee | null,
): string[] {
  const { organizer, start, zoneMismatch } = event;
  const warnings: string[] = [];
  const senders = from.map(({ address }) => address.toLowerCase());
  const isFrom = (address: string | null): boolean => senders.includes(address?.toLowerCase() ?? '');
  // Attack: a sender who is not the organizer invites or cancels in the organizer's name. The organizer would get an unexpected reply.
  const speaker = kind === 'reply' || kind === 'proposal' ? (event.attendees[0] ?? null) : organizer;
  if (speaker !== null && !isFrom(speaker.address) && kind !== 'event')
    warnings.push(
      kind === 'reply' || kind === 'proposal'
        ? `The response claims to come from ${speaker.address ?? 'someone'}, who did not send this message.`
        : `The organizer is ${speaker.address ?? 'someone'}, who did not send this message.${kind === 'cancelled' ? ' Ask them whether the event is cancelled.' : ' Your reply is sent to the organizer.'}`,
    );
  // Attack: a forged message cancels or moves an event in the organizer's name.
  else if (
    authentication !== null &&
    !isProved(authentication) &&
    (kind === 'cancelled' || kind === 'update')
  )
    warnings.push(
      'It could not be verified that the organizer sent this message. Ask them before you rely on it. Earlier invitations to this event stay as they are.',
    );
  if (zoneMismatch !== null)
    warnings.push(
      `The time may be wrong: the file says that ${start.zone ?? 'its time zone'} is at ${offset(zoneMismatch.written)} then, but it is at ${offset(zoneMismatch.known)}.`,
    );
  if (start.zone !== null && start.atMs === null)
    warnings.push(`The time zone "${start.zone}" is unknown: the time is shown as written.`);
  if ((kind === 'invitation' || kind === 'update') && invited === null)
    warnings.push('None of your addresses is invited, so you cannot reply to this invitation.');
  return warnings;
}

function offset(minutes: number): string {
  const sign = minutes < 0 ? '−' : '+';
  const two = (number: number): string => String(number).padStart(2, '0');
  const size = Math.abs(minutes);
  return `UTC${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
