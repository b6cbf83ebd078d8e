import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import type { CalendarEvent } from './calendar-event.ts';
import { BERLIN, calendarOf } from './calendar.fixture.ts';
import { readCalendar } from './read-calendar.ts';

function read(lines: readonly string[], options?: Parameters<typeof calendarOf>[1]): CalendarEvent {
  const event = readCalendar(calendarOf(lines, options));
  assert.ok(event !== null);
  return event;
}

const at = (time: { atMs: number | null } | null): string | null =>
  time?.atMs === null || time?.atMs === undefined ? null : new Date(time.atMs).toISOString();

describe('readCalendar', () => {
  it('readCalendar returns the event of an invitation', () => {
    const event = read(['LOCATION:Room 5', 'SEQUENCE:2', 'DESCRIPTION:Bring\\, please\\nnumbers']);
    assert.deepEqual(
      { ...event, attendees: undefined, start: at(event.start), end: at(event.end) },
      {
        method: 'request',
        uid: 'planning@acme.example',
        recurrence: null,
        sequence: 2,
        isCancelled: false,
        summary: 'Planning',
        description: 'Bring, please\nnumbers',
        location: 'Room 5',
        conference: null,
        start: '2027-07-05T08:00:00.000Z',
        end: '2027-07-05T09:30:00.000Z',
        repeats: null,
        organizer: { name: 'Ann Lee', address: 'ann@acme.example' },
        attendees: undefined,
        attendeesTotal: 1,
        comment: null,
        others: 0,
        zoneMismatch: null,
      },
    );
    assert.deepEqual(event.attendees, [
      { name: 'Bob', address: 'bob@shop.example', answer: 'none', isOptional: false },
    ]);
  });

  const WINDOWS = BERLIN.map((line) => line.replace('TZID:Europe/Berlin', 'TZID:W. Europe Standard Time'));
  for (const [what, line, zones, local, zone, instant] of [
    ['UTC', 'DTSTART:20270705T080000Z', [], '2027-07-05T08:00:00', 'UTC', '2027-07-05T08:00:00.000Z'],
    [
      'a named zone without a definition',
      'DTSTART;TZID=America/New_York:20270105T100000',
      [],
      '2027-01-05T10:00:00',
      'America/New_York',
      '2027-01-05T15:00:00.000Z',
    ],
    [
      'a zone name with a path prefix',
      'DTSTART;TZID=/mozilla.org/20050126_1/Europe/Berlin:20270105T100000',
      [],
      '2027-01-05T10:00:00',
      'Europe/Berlin',
      '2027-01-05T09:00:00.000Z',
    ],
    [
      'an unknown zone name with a definition',
      'DTSTART;TZID=W. Europe Standard Time:20270705T100000',
      WINDOWS,
      '2027-07-05T10:00:00',
      'W. Europe Standard Time',
      '2027-07-05T08:00:00.000Z',
    ],
    [
      'an unknown zone without a definition',
      'DTSTART;TZID=Nowhere:20270705T100000',
      [],
      '2027-07-05T10:00:00',
      'Nowhere',
      null,
    ],
    ['no zone', 'DTSTART:20270705T100000', [], '2027-07-05T10:00:00', null, null],
    ['a date only', 'DTSTART;VALUE=DATE:20270705', [], '2027-07-05', null, null],
    [
      'a time skipped by daylight saving',
      'DTSTART;TZID=Europe/Berlin:20270328T023000',
      [],
      '2027-03-28T02:30:00',
      'Europe/Berlin',
      '2027-03-28T00:30:00.000Z',
    ],
  ] as const)
    it(`readCalendar reads a time with ${what}`, () => {
      const { start } = read([line], { zones });
      assert.deepEqual([start.local, start.zone, at(start)], [local, zone, instant]);
    });

  it('readCalendar returns the last day of an all-day event, and the end of an event with a duration', () => {
    const days = read(['DTSTART;VALUE=DATE:20270705', 'DTEND;VALUE=DATE:20270708']);
    assert.equal(days.end?.local, '2027-07-07');
    const long = read(['DTEND:none', 'DURATION:P1DT2H']);
    assert.equal(at(long.end), '2027-07-06T10:00:00.000Z');
  });

  it('readCalendar prefers the zone name to a different zone definition, and reports both offsets', () => {
    const lying = BERLIN.map((line) => line.replace(/^(TZOFFSETTO):.*/, '$1:-1100'));
    const event = read([], { zones: lying });
    assert.equal(at(event.start), '2027-07-05T08:00:00.000Z');
    assert.deepEqual(event.zoneMismatch, { written: -660, known: 120 });
  });

  for (const [rule, words] of [
    ['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', 'Every weekday'],
    [
      'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH;UNTIL=20270901T000000Z',
      'Every 2 weeks on Monday and Thursday, until 1 September 2027',
    ],
    ['FREQ=MONTHLY;BYDAY=2TU;COUNT=5', 'Every month on the second Tuesday, 5 times'],
    ['FREQ=MONTHLY;BYDAY=-1FR', 'Every month on the last Friday'],
    ['FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=8', 'Every year on day 8 in March'],
    ['FREQ=YEARLY;BYWEEKNO=20', 'Every year, with further rules'],
    ['FREQ=SECONDLY;COUNT=999999999', 'Every second'],
  ] as const)
    it(`readCalendar describes a repeat rule as "${words}"`, () =>
      assert.equal(read([`RRULE:${rule}`]).repeats, words));

  it('readCalendar describes the number of added and excluded dates', () => {
    const event = read([
      'RRULE:FREQ=DAILY',
      'RDATE:20270801T080000Z,20270802T080000Z',
      'EXDATE:20270706T080000Z',
    ]);
    assert.equal(event.repeats, 'Every day, and on 2 further dates, except 1 date');
  });

  it('readCalendar converts HTML to text and removes hidden characters', () => {
    const event = read([
      'SUMMARY:Pay\u202e now \u0007<script>alert(1)</script>',
      'DESCRIPTION:<p>One<br>two</p><script>alert(1)</script><a href="javascript:alert(1)">three</a>',
      'ORGANIZER;CN="x\u2066y":javascript:alert(1)',
      'URL:javascript:alert(1)',
      'CONFERENCE;VALUE=URI:https://meet.example/x',
    ]);
    assert.equal(event.summary, 'Pay now <script>alert(1)</script>');
    assert.equal(event.description, 'One\ntwo\n\nthree');
    assert.deepEqual(event.organizer, { name: 'xy', address: null });
    assert.equal(event.conference, 'https://meet.example/x');
  });

  it('readCalendar returns the series if there are several events, and counts the other events', () => {
    const single = [
      'BEGIN:VEVENT',
      'UID:planning@acme.example',
      'RECURRENCE-ID:20270712T080000Z',
      'DTSTART:20270712T090000Z',
      'END:VEVENT',
    ];
    const text = calendarOf(['RRULE:FREQ=WEEKLY']).replace(
      'BEGIN:VEVENT',
      `${single.join('\r\n')}\r\nBEGIN:VEVENT`,
    );
    const event = readCalendar(text);
    assert.deepEqual([event?.repeats, event?.recurrence, event?.others], ['Every week', null, 1]);
  });

  it('readCalendar continues after invalid lines, and skips unknown components', () => {
    const event = read([
      'no line',
      'RRULE:FREQ=NEVER',
      'ATTENDEE;CN="open:mailto:x@y.example',
      'BEGIN:VALARM',
      'BEGIN:VEVENT',
      'SUMMARY:wrong',
      'END:VEVENT',
      'END:VALARM',
      'SUMMARY:right',
    ]);
    assert.deepEqual([event.summary, event.repeats, event.others], ['right', null, 0]);
  });

  it('readCalendar truncates large values, and rejects a calendar that is too large or too deep', () => {
    const many = Array.from({ length: 1_000 }, (_, at) => `ATTENDEE:mailto:a${at}@shop.example`);
    const event = read([...many, `SUMMARY:${'a'.repeat(9_000)}`]);
    assert.equal(event.attendees.length, 200);
    assert.equal(event.attendeesTotal, 1_000);
    assert.equal(event.summary.length, 500);
    assert.equal(readCalendar(calendarOf([`DESCRIPTION:${'a'.repeat(1_100_000)}`])), null);
    const deep = 'BEGIN:VEVENT\r\n'.repeat(60_000);
    assert.equal(readCalendar(`BEGIN:VCALENDAR\r\n${deep}`), null);
  });

  it('readCalendar never throws for any text', () => {
    const line = fc.oneof(
      fc.constantFrom(
        'BEGIN:VEVENT',
        'END:VEVENT',
        'BEGIN:VTIMEZONE',
        'END:VTIMEZONE',
        'BEGIN:STANDARD',
        'END:STANDARD',
        'TZID:x',
        'TZOFFSETTO:+9999',
        'TZOFFSETFROM:x',
        'DTSTART;TZID=x:20270101T000000',
        'DTSTART:99999999T999999Z',
        ' folded',
        'DTSTART;VALUE=DATE:20270101',
        'DURATION:P999999W',
        'RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31',
        'UID:1',
      ),
      fc
        .tuple(
          fc.constantFrom(
            'SUMMARY',
            'ATTENDEE',
            'RRULE',
            'DTEND',
            'RDATE',
            'ORGANIZER;CN=',
            'EXDATE',
            '__proto__',
          ),
          anyText(),
        )
        .map(([name, text]) => `${name}:${text}`),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        readCalendar(`BEGIN:VCALENDAR\r\n${lines.join('\r\n')}`);
        readCalendar(calendarOf(lines));
      }),
    );
    fc.assert(fc.property(anyText(), (text) => readCalendar(text) === null));
  });
});
