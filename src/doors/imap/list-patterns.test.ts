import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.ts';
import { namesMatching } from './list-patterns.ts';

const NAMES = ['INBOX', 'INBOX/bills', 'Sent', 'a', 'a/b', 'a/b/c', 'ab', 'inbox2'];

for (const [patterns, found] of [
  [['*'], NAMES],
  [['%'], ['INBOX', 'Sent', 'a', 'ab', 'inbox2']],
  [['a*'], ['a', 'a/b', 'a/b/c', 'ab']],
  [['a/%'], ['a/b']],
  [['%/%'], ['INBOX/bills', 'a/b']],
  [['%%**%'], NAMES],
  [['*b'], ['a/b', 'ab']],
  [['inbox'], ['INBOX']],
  [['iNb%'], ['INBOX']],
  [['inbox%'], ['INBOX', 'inbox2']],
  [['inbox*'], ['INBOX', 'INBOX/bills', 'inbox2']],
  [['INBOX*'], ['INBOX', 'INBOX/bills']],
  [['inbox*S'], []],
  [['i*x/%'], ['INBOX/bills']],
  [['*ox'], ['INBOX']],
  [['*ox2'], ['inbox2']],
  [['inbox/*'], ['INBOX/bills']],
  [['sent'], []],
  [[''], []],
  [[], []],
  [
    ['Sent', 'a', '%/bills'],
    ['INBOX/bills', 'Sent', 'a'],
  ],
] as const)
  test(`${patterns.join(' ')} matches ${found.join(' ') || 'nothing'}`, () => {
    assert.deepEqual(NAMES.filter(namesMatching(patterns)), found);
  });

/** A simple implementation to compare with. It matches one character after the other, with backtracking. */
function isMatch(name: string, pattern: string): boolean {
  const [sign] = pattern;
  if (sign === undefined) return name === '';
  if (sign !== '*' && sign !== '%') return name[0] === sign && isMatch(name.slice(1), pattern.slice(1));
  const continues = name !== '' && (sign === '*' || name[0] !== '/') && isMatch(name.slice(1), pattern);
  return continues || isMatch(name, pattern.slice(1));
}

test('patterns match the same names as the reference implementation', () => {
  const text = (signs: readonly string[], maxLength: number) =>
    fc.string({ unit: fc.constantFrom(...signs), maxLength });
  fc.assert(
    fc.property(text(['a', 'b', '/'], 10), text(['a', 'b', '/', '*', '%'], 7), (name, pattern) => {
      assert.equal(namesMatching([pattern])(name), isMatch(name, pattern));
    }),
    { numRuns: runs(2_000) },
  );
});

test('a pattern beyond the wildcard limit matches nothing, and earlier patterns of the command still match', () => {
  const names = Array.from({ length: 1_000 }, (_, at) => `${'a'.repeat(200)}${at}`);
  const hostile = 'a*a%'.repeat(10_000);
  assert.deepEqual(names.filter(namesMatching(['*999', ...Array<string>(99).fill(hostile)])), [
    `${'a'.repeat(200)}999`,
  ]);
});
