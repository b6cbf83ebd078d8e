import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliveryHeaders, signatureHeader } from './post-event.ts';

/** The test vector of docs/webhooks.md, computed by: printf '%s.%s' "$t" "$body" | openssl dgst -sha256 -hmac "$secret" */
const SECRET = 'whsec_8Jt4nqTNY7JzO5hXbH3uVw2kRzq1mD0sGf6LcPa9EoI';
const UNIX_SECONDS = 1_795_187_045;
const BODY =
  '{"id":"evt_01M7WQRWR3FQ1R4FWY6JT1B1EG","type":"webhook.test","created_at":"2026-11-20T15:04:05.123Z","data":{"webhook_id":"wh_01M7T5C5R3ED1R4CWSVK7YRETV"}}';
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
  assert.deepEqual(deliveryHeaders({ current: SECRET, next: null }, BODY, UNIX_SECONDS), {
    'content-type': 'application/json',
    'user-agent': 'Service-Webhooks/1.0',
    'x-mail-signature': `t=${UNIX_SECONDS},v1=${SIGNATURE}`,
  });
});

test('during a rotation the next secret signs in a separate header', () => {
  assert.deepEqual(deliveryHeaders({ current: SECRET, next: 'whsec_new' }, BODY, UNIX_SECONDS), {
    ...deliveryHeaders({ current: SECRET, next: null }, BODY, UNIX_SECONDS),
    'x-mail-signature-next': signatureHeader('whsec_new', BODY, UNIX_SECONDS),
  });
});
