/** Times for users, in their own time zone. */
const LOCALE = 'en-GB';
const DAY = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
const TIME = { hour: '2-digit', minute: '2-digit', timeZoneName: 'shortOffset' } as const;

/** The time in a time zone, with its UTC offset: `Mon, 3 Nov 2025 at 11:00 UTC+1`. @param timeZone from `knownZone` */
export function timeIn(time: Date, timeZone: string): string {
  const day = time.toLocaleDateString(LOCALE, { ...DAY, timeZone });
  const hour = time.toLocaleTimeString(LOCALE, { ...TIME, timeZone });
  return `${day} at ${hour.replace(/(?:GMT|UTC)(?:\+0$)?/, 'UTC')}`;
}

/** @param zone the name of a time zone, from a user @returns UTC if the zone is unknown */
export function knownZone(zone: string): string {
  try {
    return new Intl.DateTimeFormat(LOCALE, { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
}
