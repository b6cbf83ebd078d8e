/** Reads the event from a calendar in a message (RFC 5545, RFC 5546). Never throws, takes bounded time, and expands no recurrence. */
import { htmlToText } from '../message/html-to-text.ts';
import type { Attendee, CalendarEvent, CalendarTime } from './calendar-event.ts';
import { CalendarZones, dayBefore, later } from './calendar-time.ts';
import { mainEventOf } from './event-key.ts';
import { addressIn, methodOf, sequenceOf } from './event-properties.ts';
import {
  type Component,
  parameterOf,
  type Property,
  propertyOf,
  readComponents,
  textOf,
} from './read-components.ts';
import { repeatsInWords, type RecurrenceRule } from './repeats-in-words.ts';

/** The maximum length of a file in characters. A longer file is ignored. */
const MAX_CALENDAR = 1_048_576;
const MAX_LINE = 500;
const MAX_TEXT = 8_000;
const MAX_UID = 1_000;
const MAX_ATTENDEES = 200;
/** The maximum duration, ten years. A longer duration is ignored. */
const MAX_DURATION_S = 10 * 366 * 86_400;

const CONFERENCES = ['conference', 'x-google-conference', 'x-microsoft-skypeteamsmeetingurl', 'url'];

/**
 * @param method the method in the header of the part, which is used if the calendar names no method
 * @returns null if the calendar has no event with a start
 */
export function readCalendar(text: string, method: string | null = null): CalendarEvent | null {
  if (text.length > MAX_CALENDAR) return null;
  const calendar = readComponents(text);
  if (calendar === null) return null;
  const events = calendar.components.filter(({ name }) => name === 'vevent');
  const event = mainEventOf(events);
  if (event === null) return null;
  const zones = new CalendarZones(calendar);
  const start = zones.read(propertyOf(event, 'dtstart'));
  if (start === null) return null;
  const named = methodOf(calendar, method);
  const attendees = event.properties.filter(([name]) => name === 'attendee');
  const organizer = propertyOf(event, 'organizer');
  return {
    method: named,
    uid: (textOf(event, 'uid') ?? '').slice(0, MAX_UID),
    recurrence: zones.read(propertyOf(event, 'recurrence-id')),
    sequence: sequenceOf(event),
    isCancelled: named === 'cancel' || textOf(event, 'status')?.toUpperCase() === 'CANCELLED',
    summary: lineOf(event, 'summary') ?? '',
    description: blockOf(event, 'description'),
    location: lineOf(event, 'location'),
    conference: conferenceOf(event),
    start,
    end: endOf(event, start, zones),
    repeats: repeatsOf(event),
    organizer: organizer && participantOf(organizer),
    attendees: attendees.slice(0, MAX_ATTENDEES).map(attendeeOf),
    attendeesTotal: attendees.length,
    comment: blockOf(event, 'comment'),
    others: events.length - 1,
    zoneMismatch: zones.mismatch,
  };
}

function endOf(event: Component, start: CalendarTime, zones: CalendarZones): CalendarTime | null {
  const written = zones.read(propertyOf(event, 'dtend'));
  if (written !== null && written.isAllDay === start.isAllDay && written.local >= start.local)
    return written.isAllDay && written.local > start.local ? dayBefore(written) : written;
  const seconds = secondsOf(textOf(event, 'duration'));
  if (seconds === null) return null;
  const end = later(start, seconds * 1_000);
  return end !== null && end.isAllDay && end.local > start.local ? dayBefore(end) : end;
}

const DURATION = /^\+?P(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?)?$/;

function secondsOf(duration: string | null): number | null {
  const parts = DURATION.exec(duration ?? '');
  if (parts === null) return null;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts
    .slice(1)
    .map((part) => Number(part ?? 0));
  const total = weeks * 604_800 + days * 86_400 + hours * 3_600 + minutes * 60 + seconds;
  return total <= MAX_DURATION_S ? total : null;
}

function repeatsOf(event: Component): string | null {
  const rule = propertyOf(event, 'rrule')?.[3];
  const count = (wanted: string): number =>
    event.properties
      .filter(([name]) => name === wanted)
      .reduce((sum, property) => sum + property.length - 3, 0);
  const [more, less] = [count('rdate'), count('exdate')];
  if (rule === undefined && more === 0) return null;
  const words = rule === undefined ? 'Repeats' : repeatsInWords(rule as RecurrenceRule);
  const dates = (number: number): string => `${number} further date${number === 1 ? '' : 's'}`;
  return `${words}${more > 0 ? `, and on ${dates(more)}` : ''}${less > 0 ? `, except ${less} date${less === 1 ? '' : 's'}` : ''}`;
}

function attendeeOf(property: Property): Attendee {
  const answer = parameterOf(property, 'partstat')?.toLowerCase() ?? '';
  return {
    ...participantOf(property),
    answer:
      answer === 'accepted' || answer === 'tentative' || answer === 'declined' || answer === 'delegated'
        ? answer
        : 'none',
    isOptional: /^(?:OPT|NON)-PARTICIPANT$/i.test(parameterOf(property, 'role') ?? ''),
  };
}

function participantOf(property: Property): { name: string | null; address: string | null } {
  const name = shown(parameterOf(property, 'cn') ?? '', MAX_LINE);
  return { name: name === '' ? null : name, address: addressIn(property) };
}

function conferenceOf(event: Component): string | null {
  for (const name of CONFERENCES) {
    const url = textOf(event, name)?.trim() ?? '';
    if (url.length <= 2_000 && /^https:\/\/[^\s\\@]+$/i.test(url) && URL.canParse(url))
      return new URL(url).href;
  }
  return null;
}

function lineOf(event: Component, name: string): string | null {
  const text = shown(textOf(event, name) ?? '', MAX_LINE)
    .replace(/\s+/g, ' ')
    .trim();
  return text === '' ? null : text;
}

function blockOf(event: Component, name: string): string | null {
  const written = (textOf(event, name) ?? '').slice(0, MAX_TEXT * 4);
  const text = shown(
    /<\/?[a-z][^<>]{0,2000}>/i.test(written) ? htmlToText(written) : written,
    MAX_TEXT,
  ).trim();
  return text === '' ? null : text;
}

/** Invisible characters. Attack: characters that change the text direction make an address look like another address. */
const HIDDEN = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069\u200e\u200f\ufeff]/gu;

function shown(text: string, most: number): string {
  return text.toWellFormed().replaceAll('\r', '').replace(HIDDEN, '').slice(0, most);
}
