/** Reads single properties of calendars and events. */
import { parseMailbox } from '../address/index.ts';
import type { CalendarMethod } from './calendar-event.ts';
import { type Component, type Property, textOf } from './read-components.ts';

const METHODS: ReadonlySet<string> = new Set<CalendarMethod>([
  'publish',
  'request',
  'reply',
  'add',
  'cancel',
  'refresh',
  'counter',
  'declinecounter',
]);

/** @param method the method in the header of the part, which is used if the calendar names no method */
export function methodOf(calendar: Component, method: string | null): CalendarMethod {
  const named = (textOf(calendar, 'method') ?? method ?? 'publish').toLowerCase();
  return METHODS.has(named) ? (named as CalendarMethod) : 'publish';
}

export function sequenceOf(event: Component): number {
  const sequence = Number(textOf(event, 'sequence'));
  return Number.isInteger(sequence) && sequence > 0 && sequence < 2 ** 31 ? sequence : 0;
}

/** The email address in a property, or null if the address is invalid. */
export function addressIn(property: Property): string | null {
  const [, written] = /^mailto:(.+)$/i.exec(String(property[3] ?? '').trim()) ?? [];
  if (written === undefined) return null;
  let text = written;
  try {
    text = decodeURIComponent(written);
  } catch {
    // The text is not valid percent-encoding, so use the text unchanged.
  }
  const parsed = parseMailbox(text);
  return 'error' in parsed || parsed.displayName !== null ? null : parsed.address;
}
