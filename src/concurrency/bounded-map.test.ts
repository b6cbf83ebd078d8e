import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BoundedMap } from './bounded-map.ts';

const KEYS = fc.integer({ min: 0, max: 9 });
const STEPS = fc.array(
  fc.oneof(fc.tuple(fc.constant('set'), KEYS, fc.integer()), fc.tuple(fc.constant('delete'), KEYS)),
);

test('a bounded map contains the entries that were set last, oldest first', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), STEPS, (maxEntries, steps) => {
      const map = new BoundedMap<number, number>(maxEntries);
      let expected: (readonly [key: number, value: number])[] = [];
      for (const [step, key, value = 0] of steps) {
        const others = expected.filter(([other]) => other !== key);
        if (step === 'set') {
          map.set(key, value);
          expected = [...others, [key, value] as const].slice(-maxEntries);
        } else {
          assert.equal(map.delete(key), others.length < expected.length);
          expected = others;
        }
        assert.deepEqual([...map], expected);
      }
    }),
  );
});

test('reading an entry does not delay its eviction', () => {
  const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2);
  assert.equal(map.get('a'), 1);
  assert.deepEqual([...map.set('c', 3).keys()], ['b', 'c']);
});

test('a large map never evicts an entry of its newest fifteen sixteenths', () => {
  const map = new BoundedMap<number, number>(1_600);
  for (let key = 0; key < 10_000; key++) {
    map.set(key, key);
    assert.ok(map.size <= 1_600 && map.has(Math.max(0, key - 1_499)));
  }
});
