import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstDay, fromOf, lastDay, untilOf } from './vacation-days.ts';

test('days are those of the command line, and the last one counts', () => {
  assert.equal(fromOf('2026-12-20', null), '2026-12-20T00:00:00.000Z');
  assert.equal(untilOf('2027-01-03', null), '2027-01-04T00:00:00.000Z');
  assert.equal(lastDay('2027-01-04T00:00:00.000Z'), '2027-01-03');
  assert.equal(firstDay('2026-12-20T00:00:00.000Z'), '2026-12-20');
});

test('a time that was set otherwise stays where its day is not changed', () => {
  const [from, until] = ['2026-12-20T15:30:00.000Z', '2027-01-03T12:00:00.000Z'];
  assert.equal(fromOf(firstDay(from), from), from);
  assert.equal(untilOf(lastDay(until), until), until);
  assert.equal(untilOf('', until), null);
});
