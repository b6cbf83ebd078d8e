import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstDay, fromOf, lastDay, LOCAL, untilOf, UTC } from './vacation-days.ts';

test('UTC days begin at midnight UTC, and the end is the midnight after the last day', () => {
  assert.equal(fromOf(UTC, '2026-12-20', null), '2026-12-20T00:00:00.000Z');
  assert.equal(untilOf(UTC, '2027-01-03', null), '2027-01-04T00:00:00.000Z');
  assert.equal(lastDay(UTC, '2027-01-04T00:00:00.000Z'), '2027-01-03');
  assert.equal(firstDay(UTC, '2026-12-20T00:00:00.000Z'), '2026-12-20');
});

for (const [name, calendar] of Object.entries({ UTC, LOCAL }))
  test(`a start or end at a time of day keeps that time if its day in the form is unchanged (${name})`, () => {
    const [from, until] = ['2026-12-20T15:30:00.000Z', '2027-01-03T12:00:00.000Z'];
    assert.equal(fromOf(calendar, firstDay(calendar, from), from), from);
    assert.equal(untilOf(calendar, lastDay(calendar, until), until), until);
    assert.equal(untilOf(calendar, '', until), null);
  });
