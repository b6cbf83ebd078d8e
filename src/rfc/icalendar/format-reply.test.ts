import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import { calendarOf } from './calendar.fixture.ts';
import { formatReply, type ReplyDetails } from './format-reply.ts';
import { readCalendar } from './read-calendar.ts';

const DETAILS: ReplyDetails = {
  attendee: 'bob@shop.example',
  name: 'Bob "the" Builder',
  answer: 'tentative',
  organizer: 'ann@acme.example',
  nowMs: Date.UTC(2027, 5, 1, 12),
};

function reply(lines: readonly string[], details: Partial<ReplyDetails> = {}): string {
  const event = readCalendar(calendarOf(lines));
  assert.ok(event !== null);
  return formatReply(event, { ...DETAILS, ...details });
}

describe('formatReply', () => {
  it('the reply to an invitation contains the properties that RFC 5546 requires', () => {
    const lines = reply(['SEQUENCE:3', 'RECURRENCE-ID;TZID=Europe/Berlin:20270705T100000']).split('\r\n');
    assert.deepEqual(lines, [
      'BEGIN:VCALENDAR',
      'PRODID:-//Posthorn//Web client//EN',
      'VERSION:2.0',
      'METHOD:REPLY',
      'BEGIN:VEVENT',
      'UID:planning@acme.example',
      'DTSTAMP:20270601T120000Z',
      'SEQUENCE:3',
      'RECURRENCE-ID:20270705T080000Z',
      'DTSTART:20270705T080000Z',
      'DTEND:20270705T093000Z',
      'SUMMARY:Planning',
      'ORGANIZER:mailto:ann@acme.example',
      `ATTENDEE;PARTSTAT=TENTATIVE;CN="Bob 'the' Builder":mailto:bob@shop.example`,
      'END:VEVENT',
      'END:VCALENDAR',
      '',
    ]);
  });

  it('the reply to an invitation with any texts is a valid reply of the attendee', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 60 }), anyText({ maxLength: 60 }), (summary, name) => {
        const event = readCalendar(calendarOf([]));
        assert.ok(event !== null);
        const text = formatReply(
          { ...event, summary: `x${summary.toWellFormed()}`, uid: `${summary}\r\nX:1` },
          { ...DETAILS, name },
        );
        const again = readCalendar(text);
        assert.deepEqual(
          [again?.method, again?.attendees.map(({ address, answer }) => [address, answer])],
          ['reply', [['bob@shop.example', 'tentative']]],
        );
        assert.ok(text.split('\r\n').every((line) => Buffer.byteLength(line) <= 75));
        assert.equal(text.match(/^[A-Z-]+[:;]/gm)?.length, 15);
      }),
    );
  });
});
