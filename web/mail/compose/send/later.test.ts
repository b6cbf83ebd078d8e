import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choicesAt, problemOf, toField } from './later.ts';

const at = (text: string) =>
  choicesAt(new Date(text)).map((choice) => `${choice.label} ${toField(choice.at)}`);

test('the suggested times are in the future and in the time zone of the browser', () => {
  assert.deepEqual(at('2026-11-25T09:00:00'), [
    'This afternoon 2026-11-25T13:00',
    'This evening 2026-11-25T18:00',
    'Tomorrow morning 2026-11-26T08:00',
    'Tomorrow afternoon 2026-11-26T13:00',
    'Monday morning 2026-11-30T08:00',
  ]);
  assert.deepEqual(at('2026-11-30T17:45:00'), [
    'Tomorrow morning 2026-12-01T08:00',
    'Tomorrow afternoon 2026-12-01T13:00',
    'Monday morning 2026-12-07T08:00',
  ]);
  assert.ok(!at('2026-11-29T09:00:00').some((each) => each.startsWith('Monday')));
});

test('a time in the past, too far ahead or without a value has a problem', () => {
  const now = new Date('2026-11-25T09:00:00');
  assert.equal(problemOf('2026-11-25T09:01', now, 365), null);
  for (const bad of ['2026-11-25T08:59', '2027-12-01T09:00', ''])
    assert.notEqual(problemOf(bad, now, 365), null);
});
