import assert from 'node:assert/strict';
import { test } from 'node:test';
import { snoozeChoices } from './choices.ts';

const local = (at: Date) =>
  `${['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][at.getDay()]} ${at.getDate()} ${at.getHours()}:${String(at.getMinutes()).padStart(2, '0')}`;

const cases: [when: string, now: Date, choices: string[]][] = [
  [
    'a Monday morning',
    new Date(2026, 10, 23, 9, 0),
    [
      'Later today: Mon 23 12:00',
      'Tomorrow: Tue 24 8:00',
      'This weekend: Sat 28 8:00',
      'Next week: Mon 30 8:00',
    ],
  ],
  [
    'a Thursday evening',
    new Date(2026, 10, 26, 20, 30),
    ['Tomorrow: Fri 27 8:00', 'This weekend: Sat 28 8:00', 'Next week: Mon 30 8:00'],
  ],
  [
    'a Friday afternoon',
    new Date(2026, 10, 27, 14, 20),
    ['Later today: Fri 27 18:00', 'Tomorrow: Sat 28 8:00', 'Next week: Mon 30 8:00'],
  ],
  ['a Saturday night', new Date(2026, 10, 28, 23, 59), ['Tomorrow: Sun 29 8:00', 'Next week: Mon 30 8:00']],
  ['a Sunday', new Date(2026, 10, 29, 10, 5), ['Later today: Sun 29 14:00', 'Tomorrow: Mon 30 8:00']],
];
for (const [when, now, choices] of cases) {
  test(`on ${when}, mail can be snoozed until later times`, () => {
    assert.deepEqual(
      snoozeChoices(now).map(({ label, at }) => `${label}: ${local(at)}`),
      choices,
    );
  });
}
