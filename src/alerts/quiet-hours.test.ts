import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockTimeOf, isQuiet, isTimeZone, minutesOf } from './quiet-hours.ts';

const CASES: readonly [from: string, until: string, zone: string, time: string, quiet: boolean][] = [
  ['12:00', '13:00', 'UTC', '2026-11-30T11:59:59Z', false],
  ['12:00', '13:00', 'UTC', '2026-11-30T12:00:00Z', true],
  ['12:00', '13:00', 'UTC', '2026-11-30T12:59:59Z', true],
  ['12:00', '13:00', 'UTC', '2026-11-30T13:00:00Z', false],
  // Across midnight.
  ['22:00', '07:00', 'UTC', '2026-11-30T21:59:00Z', false],
  ['22:00', '07:00', 'UTC', '2026-11-30T23:00:00Z', true],
  ['22:00', '07:00', 'UTC', '2026-12-01T00:00:00Z', true],
  ['22:00', '07:00', 'UTC', '2026-12-01T06:59:00Z', true],
  ['22:00', '07:00', 'UTC', '2026-12-01T07:00:00Z', false],
  ['22:00', '07:00', 'Asia/Kolkata', '2026-11-30T16:29:00Z', false],
  ['22:00', '07:00', 'Asia/Kolkata', '2026-11-30T16:30:00Z', true],
  // In Berlin, clocks go from 02:00 to 03:00 on 29 March 2026: 01:00 UTC.
  ['02:30', '03:30', 'Europe/Berlin', '2026-03-29T00:59:00Z', false],
  ['02:30', '03:30', 'Europe/Berlin', '2026-03-29T01:00:00Z', true],
  ['02:30', '03:30', 'Europe/Berlin', '2026-03-29T01:30:00Z', false],
  // Clocks go from 03:00 to 02:00 on 25 October 2026, so these hours are quiet twice.
  ['02:00', '02:30', 'Europe/Berlin', '2026-10-25T00:15:00Z', true],
  ['02:00', '02:30', 'Europe/Berlin', '2026-10-25T00:45:00Z', false],
  ['02:00', '02:30', 'Europe/Berlin', '2026-10-25T01:15:00Z', true],
  ['02:00', '02:30', 'Europe/Berlin', '2026-10-25T01:45:00Z', false],
  // The same hours in summer and in winter.
  ['22:00', '07:00', 'Europe/Berlin', '2026-07-01T20:00:00Z', true],
  ['22:00', '07:00', 'Europe/Berlin', '2026-12-01T20:00:00Z', false],
];

test('the wall clock of the time zone decides whether an hour is quiet', () => {
  for (const [from, until, timeZone, time, quiet] of CASES) {
    const hours = { from: minutesOf(from), until: minutesOf(until), timeZone };
    assert.equal(isQuiet(hours, new Date(time)), quiet, `${from}-${until} ${timeZone} at ${time}`);
  }
});

test('a time of day is read and written in the same form', () => {
  for (const text of ['00:00', '07:05', '23:59']) assert.equal(clockTimeOf(minutesOf(text)), text);
  for (const text of ['24:00', '7:00', '']) assert.throws(() => minutesOf(text));
});

test('only names of time zones are time zones', () => {
  assert.ok(isTimeZone('Europe/Berlin'));
  for (const name of ['Europe/Nowhere', '', '../etc/passwd']) assert.equal(isTimeZone(name), false);
});
