import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { SetNumber } from '../../rfc/imap/command.ts';
import type { UidRange } from '../../store/uid-ranges.ts';
import { UidList } from './uid-list.ts';

const MAX = 40;
const uids = fc.uniqueArray(fc.integer({ min: 1, max: MAX })).map((all) => all.sort((a, b) => a - b));
const number = fc.oneof(fc.integer({ min: 1, max: MAX + 5 }), fc.constant('*' as const));
const sets = fc.array(fc.tuple(number, number), { minLength: 1, maxLength: 6 });

/** A simple implementation to compare with. It expands a set number by number. */
function named(set: readonly (readonly [SetNumber, SetNumber])[], last: number): Set<number> {
  const all = new Set<number>();
  for (const [from, to] of set) {
    const [a, b] = [from === '*' ? last : from, to === '*' ? last : to];
    for (let at = Math.min(a, b); at <= Math.max(a, b); at++) all.add(at);
  }
  return all;
}

const spread = (ranges: readonly UidRange[]) =>
  ranges.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, at) => first + at));
const areApart = (ranges: readonly UidRange[]) =>
  ranges.every(({ first, last }, at) => first <= last && first > (ranges[at - 1]?.last ?? 0));

test('a set of UIDs resolves to the UIDs of the set that are in the list', () => {
  fc.assert(
    fc.property(uids, sets, (all, set) => {
      const list = new UidList(Uint32Array.from(all));
      const expected = named(set, list.last);
      const ranges = list.rangesOfUids(set);
      assert.ok(areApart(ranges));
      assert.deepEqual(
        list.within(ranges),
        all.filter((uid) => expected.has(uid)),
      );
    }),
  );
});

test('a set of sequence numbers resolves to UIDs, or to null if one of the numbers does not exist', () => {
  fc.assert(
    fc.property(uids, sets, (all, set) => {
      const list = new UidList(Uint32Array.from(all));
      const expected = named(set, all.length);
      const ranges = list.rangesOfNumbers(set);
      const isRight = [...expected].every((each) => each >= 1 && each <= all.length);
      assert.equal(ranges !== null, isRight && (all.length > 0 || expected.size === 0));
      if (ranges === null) return;
      assert.ok(areApart(ranges));
      assert.deepEqual(
        list.within(ranges),
        all.filter((_, at) => expected.has(at + 1)),
      );
      assert.equal(list.countWithin(ranges), list.within(ranges).length);
    }),
  );
});

test('all messages resolve to one range, despite gaps between their UIDs', () => {
  const list = new UidList(Uint32Array.of(2, 3, 7, 90));
  assert.deepEqual(list.rangesOfNumbers([[1, '*']]), [{ first: 2, last: 90 }]);
  assert.deepEqual(list.rangesOfUids([[1, 4_294_967_295]]), [{ first: 2, last: 90 }]);
});

test('push appends UIDs, and remove returns their former positions', () => {
  fc.assert(
    fc.property(uids, fc.array(fc.boolean(), { maxLength: MAX }), (all, isRemoved) => {
      const list = new UidList(new Uint32Array());
      for (const uid of all) list.push(uid);
      const removed = all.filter((_, at) => isRemoved[at] === true);
      const numbers = list.remove(Uint32Array.from(removed));
      assert.deepEqual(numbers, all.flatMap((_, at) => (isRemoved[at] === true ? [at + 1] : [])).reverse());
      const left = all.filter((_, at) => isRemoved[at] !== true);
      assert.deepEqual(list.within([{ first: 1, last: MAX }]), left);
      for (const [at, uid] of left.entries()) assert.equal(list.indexOf(uid), at);
      for (const uid of removed) assert.equal(list.indexOf(uid), -1);
    }),
  );
});

test('gapsIn returns the requested UIDs that are not in the list', () => {
  fc.assert(
    fc.property(uids, sets, fc.integer({ min: 1, max: MAX + 5 }), (all, set, end) => {
      const expected = named(set, MAX);
      const ranges = [...expected].sort((a, b) => a - b).map((uid) => ({ first: uid, last: uid }));
      const gaps = new UidList(Uint32Array.from(all)).gapsIn(ranges, end);
      assert.ok(areApart(gaps));
      assert.deepEqual(
        spread(gaps),
        ranges.map(({ first }) => first).filter((uid) => uid < end && !all.includes(uid)),
      );
    }),
  );
});
