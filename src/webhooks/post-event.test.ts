import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { deliveryHeaders, signatureHeader } from './post-event.ts';
import { newSecret, type SigningSecrets } from './secret.ts';

/** The test vector of docs/webhooks.md, computed by: printf '%s.%s' "$t" "$body" | openssl dgst -sha256 -hmac "$secret" */
const SECRET = 'whsec_8Jt4nqTNY7JzO5hXbH3uVw2kRzq1mD0sGf6LcPa9EoI';
const UNIX_SECONDS = 1_795_187_045;
const BODY =
  '{"id":"evt_01M7WQRWR3FQ1R4FWY6JT1B1EG","type":"webhook.test","created_at":"2026-11-20T15:04:05.123Z","data":{"webhook_id":"wh_01M7T5C5R3ED1R4CWSVK7YRETV"}}';
const EVENT = { id: 'evt_01M7WQRWR3FQ1R4FWY6JT1B1EG', body: BODY };
const SIGNATURE = '933b781b536ec408b86b706aadf00a5870ad57addc5445a2e5bd869806495a90';

test('the signature covers the time, the body and the whole secret', () => {
  assert.equal(signatureHeader(SECRET, BODY, UNIX_SECONDS), `t=${UNIX_SECONDS},v1=${SIGNATURE}`);
});

test('the signature covers the body in UTF-8', () => {
  assert.equal(
    signatureHeader('whsec_x', '{"a":"ü😀"}', 1),
    't=1,v1=a24cea2e63f46b27afb9a53ec1c2e81c6e4df3d2f9d9bbf811ec7d18b83159c4',
  );
});

test('the headers match docs/contract.md, Signatures', () => {
  assert.deepEqual(deliveryHeaders({ current: SECRET, next: null }, EVENT, UNIX_SECONDS), {
    'content-type': 'application/json',
    'user-agent': 'Service-Webhooks/1.0',
    'x-mail-signature': `t=${UNIX_SECONDS},v1=${SIGNATURE}`,
    'webhook-id': EVENT.id,
    'webhook-timestamp': String(UNIX_SECONDS),
  });
});

test('during a rotation the next secret signs in a separate header', () => {
  assert.deepEqual(deliveryHeaders({ current: SECRET, next: 'whsec_new' }, EVENT, UNIX_SECONDS), {
    ...deliveryHeaders({ current: SECRET, next: null }, EVENT, UNIX_SECONDS),
    'x-mail-signature-next': signatureHeader('whsec_new', BODY, UNIX_SECONDS),
  });
});

/** Verifies as a receiver that uses the library of Standard Webhooks. */
function isVerified(secret: string, secrets: SigningSecrets, changes: Record<string, string> = {}): boolean {
  const headers = deliveryHeaders(secrets, EVENT, Math.floor(Date.now() / 1_000));
  try {
    const body = new Webhook(secret).verify(BODY, { ...headers, ...changes });
    assert.deepEqual(body, JSON.parse(BODY));
    return true;
  } catch (error) {
    assert.ok(error instanceof WebhookVerificationError);
    return false;
  }
}

test('the library of Standard Webhooks verifies a delivery, and rejects one that was changed', () => {
  const secrets = { current: newSecret(), next: null };
  assert.equal(isVerified(secrets.current, secrets), true);
  assert.equal(isVerified(newSecret(), secrets), false);
  assert.equal(isVerified(secrets.current, secrets, { 'webhook-id': 'evt_other' }), false);
  const later = String(Math.floor(Date.now() / 1_000) + 1);
  assert.equal(isVerified(secrets.current, secrets, { 'webhook-timestamp': later }), false);
});

test('during a rotation the library of Standard Webhooks accepts both secrets', () => {
  const secrets = { current: newSecret(), next: newSecret() };
  assert.equal(isVerified(secrets.current, secrets), true);
  assert.equal(isVerified(secrets.next, secrets), true);
  assert.match(deliveryHeaders(secrets, EVENT, 1)['webhook-signature'] ?? '', /^v1,\S{44} v1,\S{44}$/);
});

test('while an older secret is replaced, only the new secret signs Webhook-Signature', () => {
  const secrets = { current: SECRET, next: newSecret() };
  assert.equal(isVerified(secrets.next, secrets), true);
  assert.match(deliveryHeaders(secrets, EVENT, 1)['webhook-signature'] ?? '', /^v1,\S{44}$/);
});

test('the values of Webhook-Signature and X-Mail-Signature by the same secret are as openssl computes them', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const headers = deliveryHeaders({ current: secret, next: null }, EVENT, UNIX_SECONDS);
  assert.deepEqual(
    [headers['webhook-signature'], headers['x-mail-signature']],
    [
      'v1,kuDbkK4K1yMn+xxyB5NE2NRpLc9lPenrcFkQ4TXBDrU=',
      't=1795187045,v1=e05e27f0043cf5de850734c0f47336566267a54113e695dfd043969eb5567140',
    ],
  );
});
