/**
 * Identifies the event in a calendar and its version (RFC 5546, section 2.1.5). Reads no time zones, so that it is fast enough for every
 * message that is filed. Never throws.
 */
import { hash } from 'node:crypto';
import type { CalendarMethod } from './calendar-event.ts';
import { addressIn, methodOf, sequenceOf } from './event-properties.ts';
import { type Component, propertyOf, readComponents, textOf } from './read-components.ts';

export interface EventKey {
  /** A hash of the UID, which may be long and contain any characters. */
  uid: string;
  /** The start of the changed instance of a series, as written. Null for a whole series or a single event. */
  recurrence: string | null;
  sequence: number;
  /** DTSTAMP: when the organizer wrote this version, in milliseconds. 0 if it is missing. */
  stampMs: number;
  method: CalendarMethod;
  isCancelled: boolean;
  /** The address in lower case. Null if the calendar names none, or one outside ASCII. */
  organizer: string | null;
}

/** The maximum length of a calendar in characters. Invitations have a few thousand. */
const MAX_CALENDAR = 262_144;
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ?)?$/;
/** Visible ASCII, because PostgreSQL cannot read every string from JSON. */
const ADDRESS = /^[!-~]{3,320}$/;

/** @param method the method in the header of the part @returns null if the calendar has no event with a UID */
export function readEventKey(text: string, method: string | null): EventKey | null {
  const calendar = text.length > MAX_CALENDAR ? null : readComponents(text);
  const events = calendar?.components.filter(({ name }) => name === 'vevent') ?? [];
  const event = mainEventOf(events);
  const uid = event === null ? null : textOf(event, 'uid');
  if (calendar === null || event === null || uid === null || uid === '') return null;
  const named = methodOf(calendar, method);
  return {
    uid: hash('sha256', uid).slice(0, 32),
    recurrence: TIME.exec(textOf(event, 'recurrence-id') ?? '')?.[0] ?? null,
    sequence: sequenceOf(event),
    stampMs: stampOf(event),
    method: named,
    isCancelled: named === 'cancel' || textOf(event, 'status')?.toUpperCase() === 'CANCELLED',
    organizer: organizerOf(event),
  };
}

/** Orders two versions of one event: negative if the first is older. */
export function compareVersions(
  a: Pick<EventKey, 'sequence' | 'stampMs'>,
  b: Pick<EventKey, 'sequence' | 'stampMs'>,
): number {
  return a.sequence - b.sequence || a.stampMs - b.stampMs;
}

/** The event that a calendar is about. A series takes precedence over changed instances of the series. */
export function mainEventOf(events: readonly Component[]): Component | null {
  const [first] = events;
  if (first === undefined) return null;
  const uid = textOf(first, 'uid');
  return (
    events.find((each) => textOf(each, 'uid') === uid && propertyOf(each, 'recurrence-id') === null) ?? first
  );
}

function stampOf(event: Component): number {
  const stamp = Date.parse(textOf(event, 'dtstamp') ?? '');
  return Number.isSafeInteger(stamp) && stamp > 0 ? stamp : 0;
}

function organizerOf(event: Component): string | null {
  const organizer = propertyOf(event, 'organizer');
  const address = organizer === null ? '' : (addressIn(organizer)?.toLowerCase() ?? '');
  return ADDRESS.test(address) ? address : null;
}
