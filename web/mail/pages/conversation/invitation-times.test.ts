import assert from 'node:assert/strict';
import { test } from 'node:test';
import { theirWhenInWords, whenInWords } from './invitation-times.ts';

const time = (local: string, at: string | null, zone: string | null = 'Europe/Berlin') => ({
  local,
  at,
  zone,
  is_all_day: local.length === 10,
});
const START = time('2027-07-05T10:00:00', '2027-07-05T08:00:00.000Z');
const END = time('2027-07-05T11:30:00', '2027-07-05T09:30:00.000Z');

test('an event is shown in the time zone of the reader, and of the organizer if the times differ', () => {
  const times = { start: START, end: END };
  assert.equal(whenInWords(times, 'Europe/Berlin'), 'Mon, 5 Jul 2027, 10:00 – 11:30');
  assert.equal(theirWhenInWords(times, 'Europe/Berlin'), null);
  assert.equal(theirWhenInWords(times, 'Europe/Paris'), null);
  assert.equal(whenInWords(times, 'Asia/Tokyo'), 'Mon, 5 Jul 2027, 17:00 – 18:30');
  assert.equal(theirWhenInWords(times, 'Asia/Tokyo'), 'Mon, 5 Jul 2027, 10:00 – 11:30 (Europe/Berlin)');
});

test('whole days, times without a zone and events past midnight are shown as text', () => {
  const days = { start: time('2027-07-05', null, null), end: time('2027-07-07', null, null) };
  assert.equal(whenInWords(days, 'America/New_York'), 'Mon, 5 Jul 2027 – Wed, 7 Jul 2027');
  assert.equal(whenInWords({ ...days, end: null }, 'America/New_York'), 'Mon, 5 Jul 2027, all day');
  const floating = {
    start: time('2027-07-05T22:00:00', null, null),
    end: time('2027-07-06T01:00:00', null, null),
  };
  assert.equal(whenInWords(floating, 'America/New_York'), 'Mon, 5 Jul 2027, 22:00 – Tue, 6 Jul 2027, 01:00');
});
