import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explain } from './explain.ts';

type Delivery = Parameters<typeof explain>[0];
const FAILED: Delivery = { status: 'failed', attempts: 12, http_status: null, error: null };

const CASES: readonly (readonly [title: string, fields: Partial<Delivery>, what: RegExp | null])[] = [
  ['delivered', { status: 'delivered', http_status: 200 }, null],
  ['not tried yet', { status: 'pending', attempts: 0 }, null],
  ['a timeout', { error: 'timed out after 10000 ms, waiting for the response' }, /longer than 10 seconds/],
  ['connection refused', { error: 'connection refused' }, /Nothing listens/],
  ['an old certificate', { error: 'TLS: certificate has expired' }, /certificate/],
  ['a private address', { error: 'the address is not public' }, /not public/],
  ['an unknown host', { error: 'the host name could not be looked up' }, /looked up/],
  ['webhook paused before the attempt', { attempts: 0, error: 'the webhook was disabled' }, /paused/],
  ['an unknown error', { error: 'the request failed (EWHATEVER)' }, /no response/],
  ['a redirect', { http_status: 302 }, /redirects/],
  ['status 404', { http_status: 404 }, /does not exist/],
  ['status 418, which has no explanation of its own', { http_status: 418 }, /rejected/],
  ['status 503', { http_status: 503, status: 'pending', attempts: 2 }, /failed/],
];

for (const [title, fields, what] of CASES) {
  test(`the explanation fits the outcome of a delivery: ${title}`, () => {
    const found = explain({ ...FAILED, ...fields });
    if (what === null) assert.equal(found, null);
    else assert.match(found?.what ?? '', what);
  });
}

test('the advice is to replay a delivery that has failed, but not one that has attempts left', () => {
  const error = 'cancelled by the service';
  assert.match(explain({ ...FAILED, error })?.advice ?? '', /Replay it/);
  const pending = explain({ ...FAILED, status: 'pending', attempts: 1, error });
  assert.match(pending?.advice ?? '', /It is sent again with the same event ID/);
});
