/** Writes the reply to an invitation (RFC 5546, section 3.2.3). */
import type { ParticipationStatus, CalendarEvent, CalendarTime } from './calendar-event.ts';

export interface ReplyDetails {
  /** The invited address, from which the reply is sent. */
  attendee: string;
  name: string | null;
  answer: ParticipationStatus;
  /** The address of the organizer, as written in the invitation. */
  organizer: string;
  nowMs: number;
}

/** The maximum size of a line in octets, without the line end (RFC 5545, section 3.1). */
const LINE_OCTETS = 75;

/**
 * Writes the reply, with times in UTC, so that no time zone has to be defined. All texts are escaped. Attack: a line break in a name begins
 * another property.
 */
export function formatReply(
  { uid, sequence, recurrence, summary, start, end }: CalendarEvent,
  { attendee, name, answer, organizer, nowMs }: ReplyDetails,
): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'PRODID:-//Posthorn//Web client//EN',
    'VERSION:2.0',
    'METHOD:REPLY',
    'BEGIN:VEVENT',
    `UID:${text(uid)}`,
    `DTSTAMP:${utc(nowMs)}`,
    `SEQUENCE:${sequence}`,
    ...(recurrence === null ? [] : [time('RECURRENCE-ID', recurrence)]),
    time('DTSTART', start),
    // The end of an all-day event is omitted, because organizers do not compare the end in the reply.
    ...(end === null || end.isAllDay ? [] : [time('DTEND', end)]),
    ...(summary === '' ? [] : [`SUMMARY:${text(summary)}`]),
    `ORGANIZER:mailto:${uri(organizer)}`,
    `ATTENDEE;PARTSTAT=${answer.toUpperCase()}${name === null ? '' : `;CN=${quoted(name)}`}:mailto:${uri(attendee)}`,
    'END:VEVENT',
    'END:VCALENDAR',
  ];
  return lines.map(fold).join('');
}

function time(name: string, { local, isAllDay, atMs }: CalendarTime): string {
  const basic = local.replace(/[-:]/g, '');
  if (isAllDay) return `${name};VALUE=DATE:${basic}`;
  return `${name}:${atMs === null ? basic : utc(atMs)}`;
}

function utc(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
}

const CONTROLS = /\p{Cc}/gu;

/** Escapes a text (RFC 5545, section 3.3.11). */
function text(value: string): string {
  return value
    .replaceAll('\\', '\\\\')
    .replace(/[;,]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replace(CONTROLS, '');
}

/** Writes a parameter value in quotes. A quote inside becomes an apostrophe, because there is no escape (RFC 5545, section 3.2). */
function quoted(value: string): string {
  return `"${value.replace(CONTROLS, ' ').replaceAll('"', "'")}"`;
}

/** Writes the address of a `mailto` URI (RFC 6068, section 2). */
function uri(address: string): string {
  return address.replace(/[^A-Za-z0-9@.!$'*+\-_~/=]/gu, (character) => encodeURIComponent(character));
}

/** Folds a line between characters, never inside a character. */
function fold(line: string): string {
  let folded = '';
  let octets = 0;
  for (const character of line) {
    const more = Buffer.byteLength(character);
    if (octets + more > LINE_OCTETS) {
      folded += '\r\n ';
      octets = 1;
    }
    folded += character;
    octets += more;
  }
  return `${folded}\r\n`;
}
