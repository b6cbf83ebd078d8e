/** Composes the reply to an invitation (RFC 6047): a text for people and a calendar for programs. */
import { randomBytes } from 'node:crypto';
import { type MailboxAddress, parseMailbox } from '../../rfc/address/index.ts';
import type { ParticipationStatus, CalendarEvent } from '../../rfc/icalendar/calendar-event.ts';
import { formatReply } from '../../rfc/icalendar/format-reply.ts';
import { addressField } from '../../rfc/message/address-field.ts';
import { formatDate } from '../../rfc/message/format-date.ts';
import { otherField, unstructuredField } from '../../rfc/message/text-field.ts';
import { encodeText } from '../../rfc/message/transfer-encoding.ts';

export interface InvitationReplyDetails {
  event: CalendarEvent;
  answer: ParticipationStatus;
  /** The invited address. `name` is the display name of the mailbox owner. */
  from: string;
  name: string | null;
  organizer: string;
  /** The Message-ID of the invitation, with its angle brackets. */
  inReplyTo: string | null;
  nowMs: number;
}

const SUBJECTS = { accepted: 'Accepted', tentative: 'Maybe', declined: 'Declined' } as const;
const SENTENCES = {
  accepted: 'accepts this invitation',
  tentative: 'may come',
  declined: 'declines this invitation',
} as const;
const NO_NAME = 'an event';

/** The reply has no Message-ID, because submission adds one. @throws TypeError if `from` or `organizer` is not an address */
export function composeInvitationReply(details: InvitationReplyDetails): Buffer {
  const { event, answer, from, name, organizer, inReplyTo, nowMs } = details;
  const calendar = formatReply(event, { attendee: from, name, answer, organizer, nowMs });
  const title = event.summary === '' ? NO_NAME : event.summary;
  const { local, zone, isAllDay } = event.start;
  const when = isAllDay
    ? local
    : `${local.slice(0, 16).replace('T', ' ')}${zone === null ? '' : ` (${zone})`}`;
  const text = `${name ?? from} ${SENTENCES[answer]}.\n\n${title}\n${when}\n`;
  const boundary = `=_${randomBytes(18).toString('hex')}`;
  const header = [
    addressField('From', [mailboxOf(from, name)]),
    addressField('To', [mailboxOf(organizer, null)]),
    unstructuredField('Subject', `${SUBJECTS[answer]}: ${title}`),
    `Date: ${formatDate(new Date(nowMs))}\r\n`,
    ...(inReplyTo === null
      ? []
      : [otherField('In-Reply-To', inReplyTo), otherField('References', inReplyTo)]),
    'MIME-Version: 1.0\r\n',
    `Content-Type: multipart/alternative;\r\n boundary="${boundary}"\r\n`,
  ];
  return Buffer.concat([
    Buffer.from(`${header.join('')}\r\n--${boundary}\r\n`),
    part('text/plain; charset=utf-8', text),
    Buffer.from(`\r\n--${boundary}\r\n`),
    part('text/calendar; charset=utf-8; method=REPLY; component=VEVENT', calendar),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
}

function part(type: string, text: string): Buffer {
  const { encoding, content } = encodeText(text);
  return Buffer.concat([
    Buffer.from(`Content-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`),
    content,
  ]);
}

function mailboxOf(address: string, displayName: string | null): MailboxAddress {
  const parsed = parseMailbox(address);
  if ('error' in parsed) throw new TypeError(parsed.error);
  return { ...parsed, displayName: displayName === null || displayName.trim() === '' ? null : displayName };
}
