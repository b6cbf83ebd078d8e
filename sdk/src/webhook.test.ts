import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  verifyRouteMessage,
  verifyWebhook,
  WebhookVerificationError,
  type WebhookVerificationReason,
} from './index.ts';

const SECRET = 'whsec_dGhlIHNlY3JldCBvZiB0aGUgdGVzdHM';
const BODY = JSON.stringify({
  id: 'evt_1',
  type: 'webhook.test',
  created_at: '2026-11-20T15:04:05.123Z',
  data: { webhook_id: 'wh_1' },
});
const NOW = new Date('2026-11-20T15:04:06.000Z');
const T = String(NOW.getTime() / 1_000);

/** Makes a signature as in docs/contract.md, Signatures, without the code under test. */
function v1(body: string | Uint8Array = BODY, t = T, secret = SECRET): string {
  return createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex');
}

async function assertRejected(reason: WebhookVerificationReason, verified: Promise<unknown>): Promise<void> {
  await assert.rejects(verified, (error) => {
    assert.ok(error instanceof WebhookVerificationError);
    assert.equal(error.reason, reason);
    return true;
  });
}

test('a signature that Python computed is accepted', async () => {
  const header = 't=1700000000,v1=2374950aff00c04c3855a5888c6bfee1d21bf7eaad3e12470247bb99194e6df1';
  const now = new Date(1_700_000_000_000);
  const event = await verifyWebhook('{"type":"webhook.test"}', header, SECRET, { now });
  assert.equal(event.type, 'webhook.test');
});

const GENUINE: readonly (readonly [name: string, header: string])[] = [
  ['one signature', `t=${T},v1=${v1()}`],
  ['spaces after the commas', `t=${T}, v1=${v1()}`],
  ['the timestamp last', `v1=${v1()},t=${T}`],
  ['capital hex', `t=${T},v1=${v1().toUpperCase()}`],
  ['an additional newer scheme', `t=${T},v1=${v1()},v2=abc`],
];
for (const [name, header] of GENUINE) {
  test(`a header with ${name} is accepted, and the event is returned`, async () => {
    const event = await verifyWebhook(BODY, header, SECRET, { now: NOW });
    assert.deepEqual(event, JSON.parse(BODY));
  });
}

const FORGED: readonly (readonly [name: string, header: string | null, reason: WebhookVerificationReason])[] =
  [
    ['no header', null, 'malformed-header'],
    ['an empty header', '', 'malformed-header'],
    ['no timestamp', `v1=${v1()}`, 'malformed-header'],
    ['no signature', `t=${T}`, 'malformed-header'],
    ['two timestamps', `t=${T},t=${T},v1=${v1()}`, 'malformed-header'],
    ['a timestamp that is not a number', `t=now,v1=${v1()}`, 'malformed-header'],
    ['a signature that is too short', `t=${T},v1=${v1().slice(2)}`, 'malformed-header'],
    ['a signature that is not hexadecimal', `t=${T},v1=${'g'.repeat(64)}`, 'malformed-header'],
    ['only another scheme', `t=${T},v0=${v1()}`, 'malformed-header'],
    ['two signatures', `t=${T},v1=${v1()},v1=${v1()}`, 'malformed-header'],
    ['an overlong header', `t=${T},v1=${v1()}${','.repeat(100_000)}`, 'malformed-header'],
    ['another secret', `t=${T},v1=${v1(BODY, T, 'whsec_other')}`, 'signature-mismatch'],
    ['another body', `t=${T},v1=${v1('{}')}`, 'signature-mismatch'],
    ['another timestamp than the signed one', `t=${Number(T) + 1},v1=${v1()}`, 'signature-mismatch'],
  ];
for (const [name, header, reason] of FORGED) {
  test(`a delivery with ${name} is rejected with ${reason}`, () =>
    assertRejected(reason, verifyWebhook(BODY, header, SECRET, { now: NOW })));
}

for (const [offset, isAccepted] of [
  [-301, false],
  [-300, true],
  [300, true],
  [301, false],
] as const) {
  test(`a timestamp ${offset} s from now is ${isAccepted ? 'accepted' : 'rejected'}`, async () => {
    const t = String(Number(T) + offset);
    const verified = verifyWebhook(BODY, `t=${t},v1=${v1(BODY, t)}`, SECRET, { now: NOW });
    await (isAccepted ? verified : assertRejected('timestamp-out-of-tolerance', verified));
  });
}

test('the tolerance is configurable, and with a tolerance of NaN every delivery is rejected', async () => {
  const t = String(Number(T) - 60);
  const header = `t=${t},v1=${v1(BODY, t)}`;
  await verifyWebhook(BODY, header, SECRET, { now: NOW, toleranceSeconds: 60 });
  for (const toleranceSeconds of [59, Number.NaN]) {
    const verified = verifyWebhook(BODY, header, SECRET, { now: NOW, toleranceSeconds });
    await assertRejected('timestamp-out-of-tolerance', verified);
  }
});

test('the timestamp is compared with the current time by default', () =>
  assertRejected('timestamp-out-of-tolerance', verifyWebhook(BODY, `t=1,v1=${v1(BODY, '1')}`, SECRET)));

test('while a secret is rotated, a valid signature in one of the two headers is sufficient', async () => {
  const [old, ours] = [`t=${T},v1=${v1(BODY, T, 'whsec_old')}`, `t=${T},v1=${v1()}`];
  await verifyWebhook(BODY, ours, SECRET, { now: NOW, next: old });
  await verifyWebhook(BODY, old, SECRET, { now: NOW, next: ours });
  await verifyWebhook(BODY, ours, SECRET, { now: NOW, next: null });
  await assertRejected('signature-mismatch', verifyWebhook(BODY, old, SECRET, { now: NOW, next: null }));
  await assertRejected('signature-mismatch', verifyWebhook(BODY, old, SECRET, { now: NOW, next: old }));
  await assertRejected('malformed-header', verifyWebhook(BODY, null, SECRET, { now: NOW, next: ours }));
  const stale = `t=1,v1=${v1(BODY, '1')}`;
  await assertRejected(
    'timestamp-out-of-tolerance',
    verifyWebhook(BODY, old, SECRET, { now: NOW, next: stale }),
  );
});

test('an empty secret is a TypeError, not a verification error', async () => {
  await assert.rejects(verifyWebhook(BODY, `t=${T},v1=${v1()}`, '', { now: NOW }), TypeError);
});

for (const body of ['', 'null', '[]', '"text"', '{}', '{"type":1}', '{"type":']) {
  test(`a signed body that is not an event is rejected: ${body}`, () =>
    assertRejected('malformed-body', verifyWebhook(body, `t=${T},v1=${v1(body)}`, SECRET, { now: NOW })));
}

test('a request of a route is verified like a webhook, and its message is returned with its type', async () => {
  const body = '{"id":"rm_1","type":"message.received","data":{"reply":"It arrived."}}';
  const header = `t=${T},v1=${v1(body)}`;
  const message = await verifyRouteMessage(body, header, SECRET, { now: NOW });
  // The comparison compiles only if `message` has the type of a message.
  assert.ok(message.type === 'message.received');
  assert.equal(message.data.reply, 'It arrived.');
  const other = `t=${T},v1=${v1(body, T, 'whsec_other')}`;
  await assertRejected('signature-mismatch', verifyRouteMessage(body, other, SECRET, { now: NOW }));
  await verifyRouteMessage(body, other, SECRET, { now: NOW, next: header });
});

for (const body of [BODY, '{"MessageID":"rm_1","Subject":"Hello"}', 'Subject: Hello\r\n\r\nHello']) {
  test(`a signed body that is not a message in the JSON format is rejected: ${JSON.stringify(body)}`, () =>
    assertRejected(
      'malformed-body',
      verifyRouteMessage(body, `t=${T},v1=${v1(body)}`, SECRET, { now: NOW }),
    ));
}

test('any signed event is accepted as text or bytes with any secret, and rejected with one changed byte', async () => {
  const secrets = fc.string({ minLength: 1, unit: 'binary' });
  await fc.assert(
    fc.asyncProperty(fc.json(), secrets, fc.nat(), async (data, secret, at) => {
      const body = `{"id":"evt_1","type":"email.sent","data":${data}}`;
      const bytes = Buffer.from(body);
      const header = `t=${T},v1=${v1(bytes, T, secret)}`;
      const expected = JSON.parse(body) as unknown;
      assert.deepEqual(await verifyWebhook(body, header, secret, { now: NOW }), expected);
      assert.deepEqual(await verifyWebhook(bytes, header, secret, { now: NOW }), expected);
      bytes[at % bytes.length]! ^= 1;
      await assertRejected('signature-mismatch', verifyWebhook(bytes, header, secret, { now: NOW }));
    }),
    { numRuns: 50 },
  );
});

test('every invalid header is rejected with a verification error', async () => {
  const parts = fc.oneof(
    fc.constantFrom('t=', 'v1=', `t=${T}`, `v1=${'0'.repeat(64)}`, '=', ',', ' '),
    fc.string(),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(parts), fc.constantFrom('', ','), async (all, separator) => {
      const verified = verifyWebhook(BODY, all.join(separator), SECRET, { now: NOW });
      await assert.rejects(verified, WebhookVerificationError);
    }),
  );
});
