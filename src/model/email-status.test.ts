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

test('no event lowers the status', () => {
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

test('repeated events do not change the status', () => {
  fc.assert(fc.property(events, (list) => assert.equal(statusAfter([...list, ...list]), statusAfter(list))));
});

const timelines: [title: string, recipients: number, timeline: Event[], status: EmailStage][] = [
  ['queued before any other event', 1, [{ type: 'queued', n: 0 }], 'queued'],
  [
    'unchanged by a deferral',
    1,
    [
      { type: 'sending', n: 0 },
      { type: 'deferred', n: 0 },
    ],
    'sending',
  ],
  [
    'delivered if the only recipient is delivered',
    1,
    [
      { type: 'sent', n: 0 },
      { type: 'delivered', n: 0 },
    ],
    'delivered',
  ],
  [
    'sent while one of two recipients is delivered',
    2,
    [
      { type: 'sent', n: 0 },
      { type: 'delivered', n: 0 },
    ],
    'sent',
  ],
  [
    'delivered if both recipients are delivered',
    2,
    [
      { type: 'sent', n: 0 },
      { type: 'delivered', n: 0 },
      { type: 'delivered', n: 1 },
    ],
    'delivered',
  ],
  [
    'opened if one of two recipients is opened',
    2,
    [
      { type: 'sent', n: 0 },
      { type: 'opened', n: 1 },
    ],
    'opened',
  ],
  [
    'clicked if one recipient is clicked and the other opened',
    2,
    [
      { type: 'clicked', n: 0 },
      { type: 'opened', n: 1 },
    ],
    'clicked',
  ],
  [
    'failed if one recipient is failed and the other clicked',
    2,
    [
      { type: 'clicked', n: 0 },
      { type: 'failed', n: 1 },
    ],
    'failed',
  ],
  [
    'bounced if one recipient is bounced and the other failed',
    2,
    [
      { type: 'bounced', n: 0 },
      { type: 'failed', n: 1 },
    ],
    'bounced',
  ],
  [
    'complained if one recipient is complained and the other bounced',
    2,
    [
      { type: 'complained', n: 0 },
      { type: 'bounced', n: 1 },
    ],
    'complained',
  ],
  [
    'bounced if a bounce follows a delivery',
    1,
    [
      { type: 'delivered', n: 0 },
      { type: 'bounced', n: 0 },
    ],
    'bounced',
  ],
  [
    'bounced even if a delivery is reported after the bounce',
    1,
    [
      { type: 'bounced', n: 0 },
      { type: 'delivered', n: 0 },
    ],
    'bounced',
  ],
];

for (const [title, recipients, timeline, status] of timelines) {
  test(`the status of an email is ${title}`, () => {
    assert.equal(statusAfter(timeline, recipients), status);
  });
}
