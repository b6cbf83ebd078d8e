/** Describes the calendar of a message for the mailbox owner. */
import type { Invitation } from '../../contract/mail/invitations.ts';
import { isOwnAddress, type OwnAddresses } from '../../mailboxes/own-addresses.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import type { Attendee, CalendarEvent, CalendarTime } from '../../rfc/icalendar/calendar-event.ts';
import type { StoredInvitationReply } from './stored-replies.ts';
import type { ReadInvitation } from './invitation-reader.ts';

/** @param kept the mailbox's stored reply to the event; null if there is none */
export function describeInvitation(
  { event, part, from }: ReadInvitation,
  own: OwnAddresses,
  kept: StoredInvitationReply | null,
): Invitation {
  const invited = invitedAs(event, own);
  const kind = kindOf(event);
  return {
    kind,
    summary: event.summary,
    description: event.description,
    location: event.location,
    conference: event.conference,
    start: timeOf(event.start),
    end: event.end && timeOf(event.end),
    repeats: event.repeats,
    recurrence: event.recurrence && timeOf(event.recurrence),
    organizer: event.organizer,
    attendees: event.attendees.map(({ isOptional, ...attendee }) => ({
      ...attendee,
      is_optional: isOptional,
      is_me: isOwn(attendee.address, own),
    })),
    attendees_total: event.attendeesTotal,
    comment: event.comment,
    others: event.others,
    warnings: warningsOf(event, kind, from, invited),
    part,
    invited_as: invited?.address ?? null,
    can_answer: mayReply(event, own),
    answer: kept && {
      answer: kept.answer,
      answered_at: kept.answeredAt.toISOString(),
      is_current: kept.sequence >= event.sequence,
    },
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
  event: CalendarEvent,
  kind: Invitation['kind'],
  from: ReadInvitation['from'],
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
