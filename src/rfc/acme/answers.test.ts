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
} from './answers.ts';

const CA = 'https://ca.example';

test('a directory is read, and one with a URL other than https is rejected', () => {
  const directory = { newNonce: `${CA}/nonce`, newAccount: `${CA}/account`, newOrder: `${CA}/order` };
  assert.deepEqual(readDirectory({ ...directory, meta: {} }), directory);
  assert.equal(readDirectory({ ...directory, newOrder: 'http://ca.example/order' }), null);
  assert.equal(readDirectory({ ...directory, newNonce: undefined }), null);
});

test('an order is read with what it lacks as null', () => {
  const order = { status: 'pending', authorizations: [`${CA}/a`], finalize: `${CA}/f` };
  assert.deepEqual(readOrder(order), { ...order, certificate: null, problem: null });
  const issued = { ...order, status: 'valid', certificate: `${CA}/c` };
  assert.deepEqual(readOrder(issued), { ...issued, problem: null });
});

test('challenges are only read if their token is safe in a path', () => {
  const challenge = { type: 'http-01', url: `${CA}/c`, token: 'evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ' };
  const evil = { ...challenge, token: '../../../../etc/passwd' };
  const read = readAuthorization({
    status: 'pending',
    challenges: [evil, challenge, 7, { ...challenge, token: '' }],
  });
  assert.deepEqual(read, { status: 'pending', challenges: [{ ...challenge, problem: null }] });
});

test('a problem is one line, without the namespace', () => {
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
  test(`Retry-After ${field} is ${ms} ms at the beginning of 1970`, () =>
    assert.equal(readRetryAfter(field, 0), ms));
}

test('any response is parsed or returns null', () => {
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
