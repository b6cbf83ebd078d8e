/** Finds and parses the calendar of a message. Runs in the worker thread. */
import type { CalendarEvent } from '../../rfc/icalendar/calendar-event.ts';
import { type EventKey, readEventKey } from '../../rfc/icalendar/event-key.ts';
import { readCalendar } from '../../rfc/icalendar/read-calendar.ts';
import { decodeText, fieldValue, readEntity } from '../../rfc/mime/index.ts';
import { calendarParts } from '../../store/parts/calendar-part.ts';

export interface CalendarPart {
  event: CalendarEvent;
  /** Null if the event has no UID, or if the calendar is very large. */
  key: EventKey | null;
  /** The part number as in IMAP, such as `1.2`. */
  part: string;
  /** The part, and other parts with the same calendar. */
  copies: string[];
  /** The Message-ID of the message, with its angle brackets. */
  messageId: string | null;
}

const MAX_ENCODED = 1_500_000;
const MESSAGE_ID = /<[!-;=?-~]{1,400}>/;

/** @returns null if the message has no calendar that can be parsed */
export function findCalendar(raw: Buffer): CalendarPart | null {
  const message = readEntity(raw);
  const parts = calendarParts(message);
  const [best] = parts;
  if (best === undefined || best.entity.end - best.entity.bodyStart > MAX_ENCODED) return null;
  const text = decodeText(raw, best.entity, MAX_ENCODED);
  const method = best.entity.parameters.get('method') ?? null;
  const event = readCalendar(text, method);
  if (event === null) return null;
  const copies = parts.filter(
    ({ entity }) => entity === best.entity || linesOf(decodeText(raw, entity, MAX_ENCODED)) === linesOf(text),
  );
  return {
    event,
    key: readEventKey(text, method),
    part: best.part,
    copies: copies.map(({ part }) => part),
    messageId: MESSAGE_ID.exec(fieldValue(message.fields, 'message-id') ?? '')?.[0] ?? null,
  };
}

/** The text without the differences that encodings make. */
function linesOf(text: string): string {
  return text.replaceAll('\r\n', '\n').trim();
}
