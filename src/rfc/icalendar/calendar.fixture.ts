/** Test calendars. */

export const BERLIN = [
  'BEGIN:VTIMEZONE',
  'TZID:Europe/Berlin',
  'BEGIN:STANDARD',
  'DTSTART:19701025T030000',
  'TZOFFSETFROM:+0200',
  'TZOFFSETTO:+0100',
  'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU',
  'END:STANDARD',
  'BEGIN:DAYLIGHT',
  'DTSTART:19700329T020000',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0200',
  'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
  'END:DAYLIGHT',
  'END:VTIMEZONE',
];

/** Returns a calendar with one event. Each of `lines` replaces the default line with the same name, or is added. */
export function calendarOf(
  lines: readonly string[],
  { method = 'REQUEST', zones = BERLIN }: { method?: string; zones?: readonly string[] } = {},
): string {
  const names = new Set(lines.map(nameOf));
  const usual = [
    'UID:planning@acme.example',
    'SUMMARY:Planning',
    'DTSTART;TZID=Europe/Berlin:20270705T100000',
    'DTEND;TZID=Europe/Berlin:20270705T113000',
    'ORGANIZER;CN=Ann Lee:mailto:ann@acme.example',
    'ATTENDEE;CN=Bob;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:bob@shop.example',
  ].filter((line) => !names.has(nameOf(line)));
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `METHOD:${method}`,
    ...zones,
    'BEGIN:VEVENT',
    ...usual,
    ...lines,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n');
}

function nameOf(line: string): string {
  return /^[^:;]*/.exec(line)?.[0] ?? '';
}
