/** Writes the reply to an invitation (RFC 5546, section 3.2.3). */
import type { ParticipationStatus, CalendarEvent, CalendarTime } from './calendar-event.ts';

export interface ReplyDetails {
  /** The invited address that replies. */
  attendee: string;
  name: string | null;
  answer: ParticipationStatus;
  /** The organizer's address as written in the invitation. */
  organizer: string;
  nowMs: number;
}

/** RFC 5545, section 3.1: the maximum octets of a line, without its line end. */
const LINE_OCTETS = 75;

/**
 * Times are written in UTC, so that no time zone has to be defined. No text is copied unescaped. Attack: a line break in a name
 * would begin another line.
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
    // The end of an all-day event is omitted: the organizer knows the end and does not compare it with the reply.
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

/** A parameter has no escape for a quote (RFC 5545, section 3.2). */
function quoted(value: string): string {
  return `"${value.replace(CONTROLS, ' ').replaceAll('"', "'")}"`;
}

/** Writes a `mailto` URI (RFC 6068, section 2). */
function uri(address: string): string {
  return address.replace(/[^A-Za-z0-9@.!$'*+\-_~/=]/gu, (character) => encodeURIComponent(character));
}

/** Folds a line between characters, never within a character. */
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
