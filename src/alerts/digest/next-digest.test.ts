import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastDigestAt, nextDigestAt } from './next-digest.ts';

for (const [name, timeZone, after, expected] of [
  ['in the week before', 'UTC', '2026-11-25T12:00:00Z', '2026-11-30T08:00:00Z'],
  ['earlier on Monday', 'UTC', '2026-11-30T07:59:59Z', '2026-11-30T08:00:00Z'],
  ['at the time of the last digest', 'UTC', '2026-11-30T08:00:00Z', '2026-12-07T08:00:00Z'],
  ['east of UTC', 'Pacific/Auckland', '2026-11-29T18:59:00Z', '2026-11-29T19:00:00Z'],
  ['east of UTC, after the digest', 'Pacific/Auckland', '2026-11-29T19:00:00Z', '2026-12-06T19:00:00Z'],
  ['west of UTC', 'America/Los_Angeles', '2026-11-30T15:59:00Z', '2026-11-30T16:00:00Z'],
  ['with an offset of half an hour', 'Asia/Kolkata', '2026-11-30T02:00:00Z', '2026-11-30T02:30:00Z'],
  ['in the week in which clocks go forward', 'Europe/Berlin', '2026-03-23T07:00:00Z', '2026-03-30T06:00:00Z'],
  ['in the week in which clocks go back', 'Europe/Berlin', '2026-10-19T06:00:00Z', '2026-10-26T07:00:00Z'],
] as const)
  test(`the next digest is due on Monday at 08:00 local time: ${name}`, () => {
    assert.equal(nextDigestAt(Date.parse(after), timeZone).toISOString(), new Date(expected).toISOString());
  });

for (const [name, timeZone, now, expected] of [
  ['at that time', 'UTC', '2026-11-30T08:00:00Z', '2026-11-30T08:00:00Z'],
  ['just before', 'UTC', '2026-11-30T07:59:59Z', '2026-11-23T08:00:00Z'],
  ['at the end of the week', 'UTC', '2026-12-07T07:59:59Z', '2026-11-30T08:00:00Z'],
  ['after clocks went forward', 'Europe/Berlin', '2026-03-30T06:00:30Z', '2026-03-30T06:00:00Z'],
  [
    'before the digest, after clocks went forward',
    'Europe/Berlin',
    '2026-03-30T05:59:30Z',
    '2026-03-23T07:00:00Z',
  ],
  ['after clocks went back', 'Europe/Berlin', '2026-10-26T07:00:30Z', '2026-10-26T07:00:00Z'],
  [
    'before the digest, after clocks went back',
    'Europe/Berlin',
    '2026-10-26T06:59:30Z',
    '2026-10-19T06:00:00Z',
  ],
] as const)
  test(`a digest is about the last Monday at 08:00 local time: ${name}`, () => {
    assert.equal(lastDigestAt(Date.parse(now), timeZone).toISOString(), new Date(expected).toISOString());
  });
