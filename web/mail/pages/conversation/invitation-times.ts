/** The time of an event as text, for the reader and, if the time zones differ, for the organizer. */
import type { Invitation } from '../../../../src/contract/mail/invitations.ts';

type Times = Pick<Invitation, 'start' | 'end'>;

const LOCALE = 'en-GB';
const DAY = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
const TIME = { hour: '2-digit', minute: '2-digit' } as const;

/** The reader's time: `Mon, 5 Jul 2027, 10:00 – 11:30`. @param zone the time zone of the reader */
export function whenInWords({ start, end }: Times, zone: string): string {
  if (start.is_all_day) {
    const first = dayOf(start.local, 'UTC');
    return end === null || end.local === start.local
      ? `${first}, all day`
      : `${first} – ${dayOf(end.local, 'UTC')}`;
  }
  if (start.at === null) return spanOf(wall(start.local), end && wall(end.local), 'UTC');
  return spanOf(start.at, end?.at ?? null, zone);
}

/** The organizer's time; null if the organizer's time zone is unknown, or if the reader's time is the same. */
export function theirWhenInWords({ start, end }: Times, zone: string): string | null {
  if (start.is_all_day || start.at === null || start.zone === null || start.zone === 'UTC') return null;
  const theirs = spanOf(wall(start.local), end && wall(end.local), 'UTC');
  return theirs === whenInWords({ start, end }, zone) ? null : `${theirs} (${start.zone})`;
}

/** A local time written as UTC, for calculations without a time zone. */
function wall(local: string): string {
  return `${local}Z`;
}

function spanOf(from: string, until: string | null, zone: string): string {
  const day = dayOf(from, zone);
  const time = (at: string) => new Date(at).toLocaleTimeString(LOCALE, { ...TIME, timeZone: zone });
  if (until === null || until === from) return `${day}, ${time(from)}`;
  const last = dayOf(until, zone);
  return last === day
    ? `${day}, ${time(from)} – ${time(until)}`
    : `${day}, ${time(from)} – ${last}, ${time(until)}`;
}

function dayOf(at: string, zone: string): string {
  return new Date(at).toLocaleDateString(LOCALE, { ...DAY, timeZone: zone });
}
