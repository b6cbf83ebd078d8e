import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  readAuthorization,
  readDirectory,
  readLocation,
  readOrder,
  readProblem,
  readRetryAfter,
} from './responses.ts';

const CA = 'https://ca.example';

test('readDirectory reads a directory, and rejects a directory with a missing or non-https URL', () => {
  const directory = { newNonce: `${CA}/nonce`, newAccount: `${CA}/account`, newOrder: `${CA}/order` };
  assert.deepEqual(readDirectory({ ...directory, meta: {} }), directory);
  assert.equal(readDirectory({ ...directory, newOrder: 'http://ca.example/order' }), null);
  assert.equal(readDirectory({ ...directory, newNonce: undefined }), null);
});

test('readOrder returns null for an order with missing fields', () => {
  const order = { status: 'pending', authorizations: [`${CA}/a`], finalize: `${CA}/f` };
  assert.deepEqual(readOrder(order), { ...order, certificate: null, problem: null });
  const issued = { ...order, status: 'valid', certificate: `${CA}/c` };
  assert.deepEqual(readOrder(issued), { ...issued, problem: null });
});

test('readAuthorization skips challenges whose token is not safe in a path', () => {
  const challenge = { type: 'http-01', url: `${CA}/c`, token: 'evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ' };
  const evil = { ...challenge, token: '../../../../etc/passwd' };
  const read = readAuthorization({
    status: 'pending',
    challenges: [evil, challenge, 7, { ...challenge, token: '' }],
  });
  assert.deepEqual(read, { status: 'pending', challenges: [{ ...challenge, problem: null }] });
});

test('readProblem removes the namespace of the type, and returns the detail as one line', () => {
  const problem = { type: 'urn:ietf:params:acme:error:rateLimited', detail: 'too\r\nmany \u001b[2J' };
  assert.deepEqual(readProblem(problem), { type: 'rateLimited', detail: 'too many  [2J' });
  assert.equal(readProblem({ detail: 'x' }), null);
});

for (const [field, ms] of [
  ['120', 120_000],
  ['Thu, 01 Jan 1970 00:01:00 GMT', 60_000],
  ['Thu, 01 Jan 1960 00:01:00 GMT', 0],
  ['soon', null],
  [undefined, null],
  ['99999999999999', null],
  ['999999999', 604_800_000],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 604_800_000],
] as const) {
  test(`readRetryAfter returns ${ms} for ${field} at the start of 1970`, () =>
    assert.equal(readRetryAfter(field, 0), ms));
}

test('for any JSON, no parser of ACME throws, and URLs are https, tokens are safe and details are one line', () => {
  const names = [
    'status',
    'finalize',
    'authorizations',
    'challenges',
    'error',
    'type',
    'detail',
    'token',
    'url',
    'newNonce',
  ];
  const anything = fc.anything({ key: fc.constantFrom(...names), maxDepth: 4 });
  fc.assert(
    fc.property(anything, fc.string(), (json, field) => {
      for (const url of readOrder(json)?.authorizations ?? []) assert.match(url, /^https:/);
      for (const { token } of readAuthorization(json)?.challenges ?? []) assert.match(token, /^[\w-]+$/);
      readDirectory(json);
      assert.doesNotMatch(readProblem(json)?.detail ?? '', /[\r\n]/);
      assert.match(readLocation(field, 'https://a.test/b') ?? 'https:', /^https:/);
      assert.ok((readRetryAfter(field, 0) ?? 0) >= 0);
      assert.ok((readRetryAfter(String(json), 0) ?? 0) <= 604_800_000);
    }),
  );
});
