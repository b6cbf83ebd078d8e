import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { timeOf } from './ids.ts';
import { monthOf, secondsToNextMonth, uuidsOfMonth } from './month.ts';

const months: [time: string, start: string, end: string][] = [
  ['2026-11-20T15:04:05.123Z', '2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'],
  ['2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  ['2027-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z', '2027-02-01T00:00:00.000Z'],
  ['2028-02-29T12:00:00.000Z', '2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
];
for (const [time, start, end] of months) {
  test(`${time} is in the month from ${start} to ${end}`, () => {
    assert.deepEqual(monthOf(new Date(time)), { start: new Date(start), end: new Date(end) });
  });
}

const waits: [time: string, seconds: number][] = [
  ['2026-12-31T23:59:59.999Z', 1],
  ['2026-12-31T23:59:58.000Z', 2],
  ['2026-12-31T23:59:58.001Z', 2],
  ['2027-01-01T00:00:00.000Z', 31 * 86_400],
];
for (const [time, seconds] of waits) {
  test(`at ${time} the next month is ${seconds} s away`, () => {
    assert.equal(secondsToNextMonth(new Date(time)), seconds);
  });
}

test('the UUID range of a month contains exactly its milliseconds', () => {
  const times = fc.date({
    min: new Date('2020-01-01'),
    max: new Date('2100-01-01'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(times, (time) => {
      const month = monthOf(time);
      const { first, end } = uuidsOfMonth(month);
      assert.ok(month.start <= time && time < month.end);
      assert.deepEqual([timeOf(first), timeOf(end)], [month.start, month.end]);
    }),
  );
});
