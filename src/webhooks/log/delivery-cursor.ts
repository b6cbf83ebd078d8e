/** Where a page of deliveries ended: behind an id of the log, or behind a due time of what waits. Opaque outside. */
import { validationError } from '../../model/app-error.ts';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const LOGGED = new RegExp(`^(${UUID})$`);
/** PostgreSQL's text of a time: to the microsecond, which a Date is not. */
const DUE = new RegExp(
  `^(([1-9]\\d{3}-\\d\\d-\\d\\d) (\\d\\d:\\d\\d:\\d\\d)(?:\\.\\d{1,6})?[+-](?:0\\d|1[0-4])(?::[0-5]\\d)?) (${UUID})$`,
);

/** What is due at one moment is in the order of its events. */
export interface DueEnd {
  dueAt: string;
  eventId: string;
}

export function encodeLogged(deliveryId: string): string {
  return Buffer.from(deliveryId).toString('base64url');
}

export function encodeDue({ dueAt, eventId }: DueEnd): string {
  return Buffer.from(`${dueAt} ${eventId}`).toString('base64url');
}

/** @throws AppError validation-failed, as the next one */
export function decodeLogged(cursor: string): string {
  const [, id] = LOGGED.exec(textOf(cursor)) ?? [];
  return id ?? refuse();
}

export function decodeDue(cursor: string): DueEnd {
  const [, dueAt, date, time, eventId] = DUE.exec(textOf(cursor)) ?? [];
  if (dueAt === undefined || eventId === undefined || !isInCalendar(`${date}T${time}.000Z`)) return refuse();
  return { dueAt, eventId };
}

/** Attack: February 31 is an error of the database. A Date makes another day of it. */
function isInCalendar(time: string): boolean {
  const at = new Date(time);
  return !Number.isNaN(at.getTime()) && at.toISOString() === time;
}

function textOf(cursor: string): string {
  return Buffer.from(cursor, 'base64url').toString('latin1');
}

function refuse(): never {
  throw validationError({
    cursor: 'is not a cursor of this list; pass next_cursor of the page before as it is',
  });
}
