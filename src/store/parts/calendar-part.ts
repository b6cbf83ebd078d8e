/** Finds the calendar of a message among its parts. */
import { type Entity, fieldValue } from '../../rfc/mime/index.ts';

export interface FoundCalendar {
  entity: Entity;
  /** The part number as in IMAP, such as `1.2`. */
  part: string;
}

const TYPES = new Set(['text/calendar', 'application/ics', 'application/calendar']);
/** The maximum number of parts that are considered. Most senders include the calendar twice. */
const MAX_PARTS = 10;

/** All parts that are calendars. The part that mail programs show comes first, because it is preferred to an attachment. */
export function calendarParts(message: Entity): FoundCalendar[] {
  const parts = partsIn(message, '').slice(0, MAX_PARTS);
  return [
    ...parts.filter(({ entity }) => isShown(entity)),
    ...parts.filter(({ entity }) => !isShown(entity)),
  ];
}

function partsIn(entity: Entity, path: string): FoundCalendar[] {
  if (entity.type.startsWith('multipart/'))
    return entity.parts.flatMap((part, at) => partsIn(part, `${path === '' ? '' : `${path}.`}${at + 1}`));
  return isCalendar(entity) ? [{ entity, part: path === '' ? '1' : path }] : [];
}

function isCalendar({ type, parameters, fields }: Entity): boolean {
  if (TYPES.has(type)) return true;
  const name = `${parameters.get('name') ?? ''} ${fieldValue(fields, 'content-disposition') ?? ''}`;
  return type === 'application/octet-stream' && /\.ics\b/i.test(name);
}

function isShown({ type, fields }: Entity): boolean {
  return type === 'text/calendar' && !/^\s*attachment/i.test(fieldValue(fields, 'content-disposition') ?? '');
}
