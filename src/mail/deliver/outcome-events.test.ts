import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consequenceOf } from './outcome-events.ts';
import type { AttemptReply } from './provider.ts';
import { GIVE_UP_AFTER_MS } from './retry-schedule.ts';
import { play } from './sandbox.ts';

const OF = { n: 1, address: 'b@dst.test', attempt: 1, ageMs: 0, nowMs: 0, jitter: 0 };
const REPLY: AttemptReply = {
  replyCode: 450,
  enhancedCode: '4.2.0',
  text: '450 4.2.0 later',
  remoteMta: 'mx.test',
  tls: true,
};

test('an accepted message is done and sent once for the whole email', () => {
  const { settlement, events } = consequenceOf(
    { outcome: 'accepted', reply: REPLY, providerMessageId: '<a@b>' },
    OF,
  );
  assert.deepEqual(settlement, { kind: 'done' });
  assert.deepEqual(
    events.map(({ type, n, recipient }) => ({ type, n, recipient })),
    [{ type: 'sent', n: null, recipient: null }],
  );
  assert.equal(events[0]?.detail?.['provider_message_id'], '<a@b>');
});

test('a permanent refusal is failed for its recipient', () => {
  const { settlement, events } = consequenceOf(
    { outcome: 'permanent', reply: { ...REPLY, replyCode: 550 } },
    OF,
  );
  assert.deepEqual(settlement, { kind: 'done' });
  assert.deepEqual(
    events.map(({ type, n, recipient, detail }) => ({ type, n, recipient, reason: detail?.['reason'] })),
    [{ type: 'failed', n: 1, recipient: 'b@dst.test', reason: 'rejected' }],
  );
});

test('a temporary refusal is deferred and says when the next try comes', () => {
  const { settlement, events } = consequenceOf({ outcome: 'transient', scope: 'message', reply: REPLY }, OF);
  assert.deepEqual(settlement, { kind: 'later', delayMs: 60_000 });
  assert.equal(events[0]?.type, 'deferred');
  assert.equal(events[0]?.detail?.['next_attempt_at'], '1970-01-01T00:01:00.000Z');
});

test('a temporary refusal after three days is a soft bounce', () => {
  const outcome = { outcome: 'transient', scope: 'message', reply: REPLY } as const;
  const { settlement, events } = consequenceOf(outcome, { ...OF, attempt: 20, ageMs: GIVE_UP_AFTER_MS });
  assert.deepEqual(settlement, { kind: 'done' });
  assert.equal(events[0]?.type, 'bounced');
  assert.deepEqual([events[0]?.detail?.['type'], events[0]?.detail?.['category']], ['soft', 'expired']);
});

const played: [localPart: string, timeline: string[]][] = [
  ['anybody', ['sent', 'delivered']],
  ['bounced', ['sent', 'bounced']],
  ['bounced+any-label', ['sent', 'bounced']],
  ['BOUNCED', ['sent', 'bounced']],
  ['soft-bounced', ['sent', 'bounced']],
  ['complained', ['sent', 'delivered', 'complained']],
  ['failed', ['failed']],
  ['delayed', ['deferred']],
  ['opened', ['sent', 'delivered', 'opened']],
  ['clicked', ['sent', 'delivered', 'opened', 'clicked']],
  ['constructor', ['sent', 'delivered']],
];

for (const [localPart, timeline] of played) {
  test(`the sandbox plays ${localPart}@ as ${timeline.join(', ')}`, () => {
    const outcome = play(`${localPart}@x.test`, { attempt: 1, messageId: '<a@b>' });
    assert.ok(outcome.outcome !== 'abandoned');
    assert.deepEqual(
      consequenceOf(outcome, OF).events.map(({ type }) => type),
      timeline,
    );
  });
}

test('what the sandbox delayed it delivers at the second try', () => {
  assert.equal(play('delayed@x.test', { attempt: 2, messageId: '<a@b>' }).outcome, 'accepted');
});
