import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explain } from './explain.ts';

type Delivery = Parameters<typeof explain>[0];
const FAILED: Delivery = { status: 'failed', attempts: 12, http_status: null, error: null };

const CASES: readonly (readonly [title: string, fields: Partial<Delivery>, what: RegExp | null])[] = [
  ['delivered', { status: 'delivered', http_status: 200 }, null],
  ['not tried yet', { status: 'pending', attempts: 0 }, null],
  ['too late', { error: 'timed out after 10000 ms, waiting for the response' }, /longer than 10 seconds/],
  ['refused', { error: 'connection refused' }, /Nothing listens/],
  ['an old certificate', { error: 'TLS: certificate has expired' }, /certificate/],
  ['a private address', { error: 'the address is not public' }, /not public/],
  ['an unknown host', { error: 'the host name could not be looked up' }, /looked up/],
  ['paused', { attempts: 0, error: 'the webhook was disabled' }, /paused/],
  ['an unknown error', { error: 'the request failed (EWHATEVER)' }, /no response/],
  ['a redirect', { http_status: 302 }, /redirects/],
  ['no such path', { http_status: 404 }, /does not exist/],
  ['a status without words', { http_status: 418 }, /rejected/],
  ['a fault', { http_status: 503, status: 'pending', attempts: 2 }, /failed/],
];

for (const [title, fields, what] of CASES) {
  test(`explains the outcome: ${title}`, () => {
    const found = explain({ ...FAILED, ...fields });
    if (what === null) assert.equal(found, null);
    else assert.match(found?.what ?? '', what);
  });
}
