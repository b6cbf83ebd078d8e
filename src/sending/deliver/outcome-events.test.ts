import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detailOf } from '../../../test/support/events.ts';
import { type AttemptOf, consequenceOf } from './outcome-events.ts';
import type { AttemptReply } from './provider.ts';
import { TIMINGS } from './timings.ts';
import { play } from './sandbox.ts';

const OF: AttemptOf = {
  recipientIndex: 1,
  address: 'b@dst.test',
  attempt: 1,
  ageMs: 0,
  nowMs: 0,
  jitter: 0,
  isFinal: false,
  waitFor: null,
};
/** An attempt of direct delivery, which reaches the recipient's own server. */
const FINAL: AttemptOf = { ...OF, isFinal: true };

const REPLY: AttemptReply = {
  replyCode: 450,
  enhancedCode: '4.2.0',
  text: 'later',
  remoteMta: 'mx.test',
  tls: true,
  dialogue: null,
};

test('an accepted message is done, and the whole email gets one sent event', () => {
  const { settlement, events } = consequenceOf(
    { outcome: 'accepted', reply: REPLY, providerMessageId: '<a@b>' },
    OF,
  );
  assert.deepEqual(settlement, { kind: 'done' });
  assert.deepEqual(
    events.map(({ type, recipientIndex, recipient }) => ({ type, recipientIndex, recipient })),
    [{ type: 'sent', recipientIndex: null, recipient: null }],
  );
  assert.equal(detailOf(events[0])?.['provider_message_id'], '<a@b>');
});

test('a permanent rejection in transit is a failure of its recipient', () => {
  const { settlement, events } = consequenceOf(
    { outcome: 'permanent', reply: { ...REPLY, replyCode: 550 } },
    OF,
  );
  assert.deepEqual(settlement, { kind: 'done' });
  assert.deepEqual(
    events.map((event) => ({
      type: event.type,
      recipientIndex: event.recipientIndex,
      recipient: event.recipient,
      reason: detailOf(event)?.['reason'],
    })),
    [{ type: 'failed', recipientIndex: 1, recipient: 'b@dst.test', reason: 'rejected' }],
  );
});

test('a temporary rejection is deferred, with the time of the next attempt', () => {
  const { settlement, events } = consequenceOf({ outcome: 'transient', scope: 'message', reply: REPLY }, OF);
  assert.deepEqual(settlement, { kind: 'later', delayMs: 60_000 });
  assert.equal(events[0]?.type, 'deferred');
  assert.equal(detailOf(events[0])?.['next_attempt_at'], '1970-01-01T00:01:00.000Z');
});

test('a temporary rejection after three days is a soft bounce', () => {
  const outcome = { outcome: 'transient', scope: 'message', reply: REPLY } as const;
  const { settlement, events } = consequenceOf(outcome, {
    ...OF,
    attempt: 20,
    ageMs: TIMINGS.abandonAfterMs,
  });
  assert.deepEqual(settlement, { kind: 'done' });
  assert.equal(events[0]?.type, 'bounced');
  assert.deepEqual([detailOf(events[0])?.['type'], detailOf(events[0])?.['category']], ['soft', 'expired']);
});

test('a deferral and a bounce after three days say whether the attempt was made at a server in transit', () => {
  const outcome = { outcome: 'transient', scope: 'message', reply: REPLY } as const;
  for (const [of, isRelayed] of [
    [OF, true],
    [FINAL, undefined],
  ] as const)
    for (const ageMs of [0, TIMINGS.abandonAfterMs])
      assert.equal(consequenceOf(outcome, { ...of, ageMs }).events[0]?.isRelayed, isRelayed);
  const local = consequenceOf({ ...outcome, isLocal: true }, OF);
  assert.equal(local.events[0]?.isRelayed, undefined);
});

test('a deferral that the sandbox makes up is not an attempt at a server in transit', () => {
  const outcome = play('delayed@x.test', { attempt: 1, messageId: '<a@b>' });
  assert.ok(outcome.outcome === 'transient');
  const [event] = consequenceOf(outcome, OF).events;
  assert.deepEqual([event?.type, event?.isRelayed], ['deferred', undefined]);
});

test("acceptance by the recipient's own server gives the events sent and delivered", () => {
  const { events } = consequenceOf({ outcome: 'accepted', reply: REPLY, providerMessageId: '<a@b>' }, FINAL);
  assert.deepEqual(
    events.map(({ type, recipientIndex, recipient }) => ({ type, recipientIndex, recipient })),
    [
      { type: 'sent', recipientIndex: null, recipient: null },
      { type: 'delivered', recipientIndex: 1, recipient: 'b@dst.test' },
    ],
  );
});

test("a permanent rejection by the recipient's own server is a bounce, and an address that does not exist is suppressed", () => {
  const reply = { ...REPLY, replyCode: 550, enhancedCode: '5.1.1', text: 'no such user' };
  const { events, suppress } = consequenceOf({ outcome: 'permanent', reply }, FINAL);
  assert.equal(suppress, true);
  assert.deepEqual(
    events.map((event) => {
      const detail = detailOf(event);
      return [event.type, detail?.['type'], detail?.['category'], detail?.['suppressed']];
    }),
    [['bounced', 'hard', 'unknown_user', true]],
  );
});

test('a policy rejection is a soft bounce and suppresses no address', () => {
  const reply = { ...REPLY, replyCode: 550, enhancedCode: '5.7.1', text: 'message refused by policy' };
  const { events, suppress } = consequenceOf({ outcome: 'permanent', reply }, FINAL);
  assert.equal(suppress, false);
  assert.deepEqual([detailOf(events[0])?.['type'], detailOf(events[0])?.['suppressed']], ['soft', false]);
});

test('an address is not suppressed if the server reports it as unknown only after the content', () => {
  const reply = { ...REPLY, replyCode: 550, enhancedCode: null, text: 'User unknown' };
  const suppressed = (['rcpt', 'dot'] as const).map(
    (step) => consequenceOf({ outcome: 'permanent', reply, step }, FINAL).suppress,
  );
  assert.deepEqual(suppressed, [true, false]);
});

test('a recipient without a route fails', () => {
  const outcome = { outcome: 'unroutable', reason: 'no_such_domain', reply: REPLY } as const;
  const { settlement, events } = consequenceOf(outcome, FINAL);
  assert.deepEqual(settlement, { kind: 'done' });
  assert.deepEqual([events[0]?.type, detailOf(events[0])?.['reason']], ['failed', 'no_such_domain']);
});

const DEAD = { destination: 'dst.test', delayMs: 600_000, wasAttempted: true };

test('a recipient at an unavailable destination is parked, with the time of the next attempt', () => {
  const outcome = { outcome: 'transient', scope: 'host', reply: REPLY } as const;
  const { settlement, events } = consequenceOf(outcome, { ...FINAL, waitFor: DEAD });
  assert.deepEqual(settlement, { kind: 'parked', destination: 'dst.test', wasAttempted: true });
  assert.equal(events[0]?.type, 'deferred');
  assert.equal(detailOf(events[0])?.['next_attempt_at'], '1970-01-01T00:10:00.000Z');
});

test('a recipient that was parked for three days is a soft bounce', () => {
  const outcome = { outcome: 'transient', scope: 'host', reply: REPLY } as const;
  const of = { ...FINAL, waitFor: DEAD, ageMs: TIMINGS.abandonAfterMs };
  const { settlement, events } = consequenceOf(outcome, of);
  assert.deepEqual(settlement, { kind: 'done' });
  assert.deepEqual([events[0]?.type, detailOf(events[0])?.['category']], ['bounced', 'expired']);
});

/** The ages of an email at its attempts, if the first reply asks for 20 seconds. */
const AGES_MS = [0, 20_000, 80_000];

/** The delays after a reply 451 with this text: without jitter, and with maximum jitter. */
function delaysAfter(attempt: number, text: string): number[] {
  const reply = { ...REPLY, replyCode: 451, enhancedCode: '4.7.1', text };
  return [0, 1].map((jitter) => {
    const { settlement } = consequenceOf(
      { outcome: 'transient', scope: 'message', reply },
      { ...FINAL, attempt, ageMs: AGES_MS[attempt - 1] ?? 0, jitter },
    );
    return settlement.kind === 'later' ? settlement.delayMs : Number.NaN;
  });
}

const GREYLISTED: [attempt: number, text: string, seconds: [number, number]][] = [
  [1, 'Greylisted, please try again in 300 seconds', [300, 330]],
  [1, 'Greylisted, please come back in 00:00:20', [20, 22]],
  [1, 'Greylisted', [300, 330]],
  [2, 'Greylisted, please come back in 00:00:20', [60, 66]],
  [3, 'Greylisted, please come back in 00:00:20', [180, 198]],
  [3, 'Greylisted, please come back in 00:10:00', [600, 660]],
];
for (const [attempt, text, seconds] of GREYLISTED) {
  test(`the retry follows after ${seconds[0]} s if attempt ${attempt} gets "${text}"`, () => {
    assert.deepEqual(
      delaysAfter(attempt, text),
      seconds.map((each) => each * 1_000),
    );
  });
}

test('the event of an attempt contains the dialogue of the attempt', () => {
  const reply: AttemptReply = { ...REPLY, dialogue: [{ atMs: 3, by: 'server', text: '450 4.2.0 later' }] };
  const { events } = consequenceOf({ outcome: 'transient', scope: 'message', reply }, FINAL);
  assert.deepEqual(detailOf(events[0])?.['dialogue'], [{ at_ms: 3, by: 'server', text: '450 4.2.0 later' }]);
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
  test(`the sandbox simulates ${timeline.join(', ')} for ${localPart}@`, () => {
    const outcome = play(`${localPart}@x.test`, { attempt: 1, messageId: '<a@b>' });
    assert.ok(outcome.outcome !== 'abandoned');
    const { events, suppress } = consequenceOf(outcome, OF);
    assert.deepEqual(
      events.map(({ type }) => type),
      timeline,
    );
    // The sandbox does not suppress addresses, so that a user can repeat a test with the same address.
    assert.equal(suppress, false);
  });
}

test('the sandbox defers a message at the first attempt and accepts it at the second', () => {
  assert.equal(play('delayed@x.test', { attempt: 2, messageId: '<a@b>' }).outcome, 'accepted');
});
