import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson, fingerprint } from './fingerprint.ts';

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, reversed(member)]),
  );
}

test('the order of keys does not change the fingerprint', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) =>
      assert.deepEqual(fingerprint(reversed(value)), fingerprint(value)),
    ),
  );
});

test('canonicalJson returns JSON that parses to the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) =>
      assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value))),
    ),
  );
});

test('changing any value, or the order of a list, changes the fingerprint', () => {
  const different = [
    { to: ['a', 'b'] },
    { to: ['b', 'a'] },
    { to: ['a'] },
    { to: 'a' },
    { to: ['a', 'b'], cc: [] },
    { to: ['ab'] },
  ];
  assert.equal(new Set(different.map((value) => fingerprint(value).toString('hex'))).size, different.length);
});
