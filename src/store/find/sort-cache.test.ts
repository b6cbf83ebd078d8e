import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SortCache } from './sort-cache.ts';

/** UIDs from 1 to 2000, the even ones first. */
const UIDS = Uint32Array.from({ length: 2_000 }, (_, at) =>
  at < 1_000 ? 2 * (at + 1) : 2 * (at - 1_000) + 1,
);
const ALL = [{ first: 1, last: 2_000 }];

test('a stored order serves its ranges and parts of them', () => {
  const cache = new SortCache();
  cache.set('a', ALL, UIDS);
  assert.deepEqual(cache.get('a', ALL, 2_000), UIDS);
  const parts = [
    { first: 1, last: 3 },
    { first: 1_999, last: 2_000 },
  ];
  assert.deepEqual(cache.get('a', parts, 5), Uint32Array.of(2, 2_000, 1, 3, 1_999));
  assert.equal(cache.get('b', ALL, 2_000), null);
});

test('a stored order does not serve new messages, or ranges in which messages were expunged', () => {
  const cache = new SortCache();
  cache.set('a', ALL, UIDS);
  assert.equal(cache.get('a', [{ first: 1, last: 2_001 }], 2_001), null);
  assert.equal(cache.get('a', ALL, 1_999), null);
});

test('the order of a small part of a folder does not replace the order of the whole folder', () => {
  const cache = new SortCache();
  cache.set('a', ALL, UIDS);
  cache.set('a', [{ first: 1, last: 3 }], Uint32Array.of(2, 1, 3));
  assert.deepEqual(cache.get('a', ALL, 2_000), UIDS);
});
