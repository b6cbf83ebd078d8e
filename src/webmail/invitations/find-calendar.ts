/** Finds and parses the calendar of a message. Runs in the worker thread. */
import type { CalendarEvent } from '../../rfc/icalendar/calendar-event.ts';
import { readCalendar } from '../../rfc/icalendar/read-calendar.ts';
import { decodeText, type Entity, fieldValue, readEntity } from '../../rfc/mime/index.ts';

export interface CalendarPart {
  event: CalendarEvent;
  /** The part number as in IMAP, such as `1.2`. */
  part: string;
  /** The Message-ID of the message, with its angle brackets. */
  messageId: string | null;
}

const MAX_ENCODED = 1_500_000;
const TYPES = new Set(['text/calendar', 'application/ics', 'application/calendar']);
const MESSAGE_ID = /<[!-;=?-~]{1,400}>/;

/** @returns null if the message has no calendar that can be parsed */
export function findCalendar(raw: Buffer): CalendarPart | null {
  const message = readEntity(raw);
  const parts = calendarParts(message, []);
  // Most senders include the calendar twice: as a part that mail programs show, and as an attachment. The shown part is preferred.
  const [best] = [...parts.filter(({ entity }) => isShown(entity)), ...parts];
  if (best === undefined || best.entity.end - best.entity.bodyStart > MAX_ENCODED) return null;
  const text = decodeText(raw, best.entity, MAX_ENCODED);
  const event = readCalendar(text, best.entity.parameters.get('method') ?? null);
  if (event === null) return null;
  const messageId = MESSAGE_ID.exec(fieldValue(message.fields, 'message-id') ?? '')?.[0] ?? null;
  return { event, part: best.path.join('.'), messageId };
}

interface FoundPart {
  entity: Entity;
  path: number[];
}

function calendarParts(entity: Entity, path: number[]): FoundPart[] {
  if (entity.type.startsWith('multipart/'))
    return entity.parts.flatMap((part, at) => calendarParts(part, [...path, at + 1]));
  return isCalendar(entity) ? [{ entity, path: path.length === 0 ? [1] : path }] : [];
}

function isCalendar({ type, parameters, fields }: Entity): boolean {
  if (TYPES.has(type)) return true;
  const name = `${parameters.get('name') ?? ''} ${fieldValue(fields, 'content-disposition') ?? ''}`;
  return type === 'application/octet-stream' && /\.ics\b/i.test(name);
}

function isShown({ type, fields }: Entity): boolean {
  return type === 'text/calendar' && !/^\s*attachment/i.test(fieldValue(fields, 'content-disposition') ?? '');
}
