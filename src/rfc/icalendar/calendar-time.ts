/** Reads times in calendars (RFC 5545, section 3.3.5). A time zone is found by IANA name, or else by its definition in the calendar. */
import ICAL from 'ical.js';
import type { CalendarTime } from './calendar-event.ts';
import { type Component, jCalOf, parameterOf, type Property, propertyOf, textOf } from './read-components.ts';

const LOCAL = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(Z?))?$/;
/** An IANA name, before which some programs write a path: `/citadel.org/20240101_1/Europe/Berlin`. */
const IANA_TAIL = /(?:^|\/)([A-Z][A-Za-z_]+(?:\/[A-Z][A-Za-z0-9_+-]+){1,2})$/;
const MAX_ZONE = 100;
const MAX_OBSERVANCES = 100;
const DAY_MS = 86_400_000;

/** The time zones that a calendar defines. */
export class CalendarZones {
  readonly #described = new Map<string, Component>();
  /** See `zoneMismatch` of `CalendarEvent`. */
  mismatch: { written: number; known: number } | null = null;

  constructor(calendar: Component) {
    for (const zone of calendar.components) {
      if (zone.name !== 'vtimezone') continue;
      const id = textOf(zone, 'tzid');
      if (id !== null) this.#described.set(id, zone);
    }
  }

  /** @returns null if the property is not a valid time */
  read(property: Property | null): CalendarTime | null {
    const value = property?.[3];
    const parts = typeof value === 'string' ? LOCAL.exec(value) : null;
    if (property === null || parts === null) return null;
    const [, year, month, day, hour, minute, second, z] = parts;
    const numbers = [year, month, day, hour ?? 0, minute ?? 0, second ?? 0].map(Number);
    const wallMs = wallOf(numbers);
    if (wallMs === null) return null;
    if (hour === undefined)
      return { local: new Date(wallMs).toISOString().slice(0, 10), isAllDay: true, zone: null, atMs: null };
    const local = new Date(wallMs).toISOString().slice(0, 19);
    if (z === 'Z') return { local, isAllDay: false, zone: 'UTC', atMs: wallMs };
    const named = parameterOf(property, 'tzid');
    if (named === null) return { local, isAllDay: false, zone: null, atMs: null };
    const known = knownZone(named);
    const written = this.#writtenOffset(named, local);
    const knownMinutes = known === null ? null : offsetAt(known, wallMs);
    if (written !== null && knownMinutes !== null && written !== knownMinutes)
      this.mismatch ??= { written, known: knownMinutes };
    const minutes = knownMinutes ?? written;
    return {
      local,
      isAllDay: false,
      zone: known ?? named.slice(0, MAX_ZONE),
      atMs: minutes === null ? null : wallMs - minutes * 60_000,
    };
  }

  /** The offset according to the definition of the zone in the calendar, in minutes east of UTC. */
  #writtenOffset(named: string, local: string): number | null {
    const zone = this.#described.get(named);
    if (zone === undefined) return null;
    // Accept only yearly rules. Attack: a rule for each second since the year 1 would be expanded up to the event.
    const components = zone.components
      .filter((each) => {
        const rule = propertyOf(each, 'rrule')?.[3] as { freq?: unknown } | undefined;
        return rule === undefined || rule.freq === 'YEARLY';
      })
      .slice(0, MAX_OBSERVANCES);
    try {
      const component = new ICAL.Component(jCalOf({ ...zone, components }) as never);
      const seconds = new ICAL.Timezone({ component, tzid: named }).utcOffset(
        ICAL.Time.fromDateTimeString(local),
      );
      return components.length > 0 && Number.isFinite(seconds) ? Math.round(seconds / 60) : null;
    } catch {
      return null;
    }
  }
}

/** Adds `ms` to both the local time and the moment. @returns null if the result is out of range */
export function later(time: CalendarTime, ms: number): CalendarTime | null {
  const wallMs = Date.parse(`${time.local}${time.isAllDay ? 'T00:00:00' : ''}Z`) + ms;
  if (!(Math.abs(wallMs) < 8.64e15)) return null;
  const iso = new Date(wallMs).toISOString();
  if (iso.startsWith('+') || iso.startsWith('-')) return null;
  return {
    ...time,
    local: iso.slice(0, time.isAllDay ? 10 : 19),
    atMs: time.atMs === null ? null : time.atMs + ms,
  };
}

/** The day before DTEND, which is the last day of an all-day event, because DTEND is exclusive (RFC 5545, section 3.6.1). */
export function dayBefore(time: CalendarTime): CalendarTime {
  return later(time, -DAY_MS) ?? time;
}

function wallOf([year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0]: number[]): number | null {
  if (year < 1 || hour > 23 || minute > 59 || second > 60) return null;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  return date.setUTCHours(hour, minute, Math.min(second, 59), 0);
}

/** The IANA name of a zone, or null for an unknown zone. */
function knownZone(named: string): string | null {
  const name = IANA_TAIL.exec(named)?.[1] ?? (/^(?:UTC|GMT|Z)$/i.test(named) ? 'UTC' : null);
  if (name === null || name.length > MAX_ZONE) return null;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return name;
  } catch {
    return null;
  }
}

/** The offset, in minutes east of UTC, when clocks show `wallMs`. If clocks are set back and show `wallMs` twice, the earlier offset. */
export function offsetAt(zone: string, wallMs: number): number {
  const first = offsetOf(zone, wallMs);
  const before = offsetOf(zone, wallMs - first * 60_000);
  if (first === before) return first;
  const again = offsetOf(zone, wallMs - before * 60_000);
  return again === before ? before : Math.max(first, before);
}

/** The offset, in minutes east of UTC, at a moment. */
export function offsetOf(zone: string, atMs: number): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  }).formatToParts(atMs);
  const of = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  const shownMs = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'));
  return Math.round((shownMs - atMs) / 60_000);
}
