import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { advance, type Progress, statusOf } from '../../test/support/status-rule.ts';
import { EMAIL_STAGES, type EmailStage, isEmailLevel, rankOf, type TimelineType } from './email-status.ts';

interface Event {
  type: TimelineType;
  n: number;
}

const RECIPIENTS = 4;
const events = fc.array(
  fc.record({
    type: fc.constantFrom<TimelineType>(...EMAIL_STAGES, 'deferred'),
    n: fc.nat(RECIPIENTS - 1),
  }),
  { maxLength: 30 },
);

function start(recipients: number): Progress {
  return { reached: 'queued', recipients: Array.from({ length: recipients }, () => 'queued') };
}

function statusAfter(timeline: readonly Event[], recipients = RECIPIENTS): EmailStage {
  return statusOf(
    timeline.reduce<Progress>(
      (at, { type, n }) => advance(at, type, isEmailLevel(type) ? null : n),
      start(recipients),
    ),
  );
}

test('any order of the same events gives the same status', () => {
  fc.assert(
    fc.property(
      events.chain((list) =>
        fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
      ),
      ([list, shuffled]) => assert.equal(statusAfter(shuffled), statusAfter(list)),
    ),
  );
});

test('the status never decreases', () => {
  fc.assert(
    fc.property(events, (list) => {
      let rank = 0;
      for (let length = 1; length <= list.length; length++) {
        const next = rankOf(statusAfter(list.slice(0, length)));
        assert.ok(next >= rank);
        rank = next;
      }
    }),
  );
});

test('a repeated event changes nothing', () => {
  fc.assert(fc.property(events, (list) => assert.equal(statusAfter([...list, ...list]), statusAfter(list))));
});

const timelines: [title: string, recipients: number, timeline: Event[], status: EmailStage][] = [
  ['only queued', 1, [{ type: 'queued', n: 0 }], 'queued'],
  [
    'a deferral changes nothing',
    1,
    [
      { type: 'sending', n: 0 },
      { type: 'deferred', n: 0 },
    ],
    'sending',
  ],
  [
    'delivered when the only recipient is',
    1,
    [
      { type: 'sent', n: 0 },
      { type: 'delivered', n: 0 },
    ],
    'delivered',
  ],
  [
    'sent while one of two is delivered',
    2,
    [
      { type: 'sent', n: 0 },
      { type: 'delivered', n: 0 },
    ],
    'sent',
  ],
  [
    'delivered when both are',
    2,
    [
      { type: 'sent', n: 0 },
      { type: 'delivered', n: 0 },
      { type: 'delivered', n: 1 },
    ],
    'delivered',
  ],
  [
    'opened if any',
    2,
    [
      { type: 'sent', n: 0 },
      { type: 'opened', n: 1 },
    ],
    'opened',
  ],
  [
    'clicked over opened',
    2,
    [
      { type: 'clicked', n: 0 },
      { type: 'opened', n: 1 },
    ],
    'clicked',
  ],
  [
    'failed over clicked',
    2,
    [
      { type: 'clicked', n: 0 },
      { type: 'failed', n: 1 },
    ],
    'failed',
  ],
  [
    'bounced over failed',
    2,
    [
      { type: 'bounced', n: 0 },
      { type: 'failed', n: 1 },
    ],
    'bounced',
  ],
  [
    'complained over bounced',
    2,
    [
      { type: 'complained', n: 0 },
      { type: 'bounced', n: 1 },
    ],
    'complained',
  ],
  [
    'a bounce may follow delivered',
    1,
    [
      { type: 'delivered', n: 0 },
      { type: 'bounced', n: 0 },
    ],
    'bounced',
  ],
  [
    'a late delivered never hides a bounce',
    1,
    [
      { type: 'bounced', n: 0 },
      { type: 'delivered', n: 0 },
    ],
    'bounced',
  ],
];

for (const [title, recipients, timeline, status] of timelines) {
  test(`the status of an email: ${title}`, () => {
    assert.equal(statusAfter(timeline, recipients), status);
  });
}
