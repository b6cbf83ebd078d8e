import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConversationRow } from '../../../../src/contract/mail/conversations.ts';
import { shortDate } from '../../reading/dates.ts';
import { Rows } from '../../reading/rows.ts';
import { groupingAt, groupsOf } from './groups.ts';

/** A Wednesday. */
const NOW = new Date(2026, 3, 15, 9, 30);
const at = (month: number, day: number, hour = 12) => new Date(2026, month, day, hour).toISOString();

test('the groups of a list begin at midnight, on Monday, and on the first day of a month', () => {
  const groupOf = groupingAt(NOW);
  for (const [time, name] of [
    [at(3, 15, 23), 'Today'],
    [at(3, 15, 0), 'Today'],
    [at(3, 14, 23), 'Yesterday'],
    [at(3, 14, 0), 'Yesterday'],
    [at(3, 13, 23), 'This week'],
    [at(3, 13, 0), 'This week'],
    [at(3, 12, 23), 'Last week'],
    [at(3, 6, 0), 'Last week'],
    [at(3, 5, 23), 'This month'],
    [at(3, 1, 0), 'This month'],
    [at(2, 31, 23), 'Last month'],
    [at(2, 1, 0), 'Last month'],
    [at(1, 28, 23), 'Older'],
  ] as const)
    assert.equal(groupOf(time), name, time);
});

test('a heading is above the first row of each group, and a group whose first row is not loaded has none', () => {
  const times = [at(3, 15), at(3, 15), at(3, 14), at(1, 3), at(1, 2), at(0, 1)];
  const data = times.map((newest_at, n) => ({ id: `${n}`, newest_at })) as ConversationRow[];
  const rows = (first_row: number, page: readonly ConversationRow[]) =>
    new Rows({ data: page, first_row, total: times.length }, () => Promise.reject(new Error('unused')));
  assert.deepEqual(groupsOf(rows(0, data), NOW), [
    { at: 0, name: 'Today' },
    { at: 2, name: 'Yesterday' },
    { at: 3, name: 'Older' },
  ]);
  assert.deepEqual(groupsOf(rows(1, data.slice(1)), NOW), [
    { at: 2, name: 'Yesterday' },
    { at: 3, name: 'Older' },
  ]);
  // A list of old mail needs no heading.
  assert.deepEqual(groupsOf(rows(0, data.slice(3)), NOW), []);
});

test('a date is the time of today, yesterday, a day of this year, or a full date', () => {
  assert.deepEqual(
    [at(3, 15, 8), at(3, 14, 8), at(3, 13, 8), new Date(2024, 10, 3).toISOString()].map((time) =>
      shortDate(time, NOW),
    ),
    ['08:00', 'Yesterday', '13 Apr', '3 Nov 2024'],
  );
});
