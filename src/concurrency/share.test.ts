import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { partOf, shareAmong } from './share.ts';

const counts = fc.integer({ min: 1, max: 60 });
const totals = fc.integer({ min: 1, max: 500 });
const rotations = fc.integer({ min: 0, max: 2 ** 31 });
const sharesOf = (count: number) => Array.from({ length: count }, (_, index) => ({ index, count }));

test('the parts add up to the whole and differ by at most one', () => {
  fc.assert(
    fc.property(totals, counts, (total, count) => {
      const parts = sharesOf(count).map((share) => partOf(total, share));
      assert.equal(
        parts.reduce((sum, part) => sum + part, 0),
        total,
      );
      assert.ok(Math.max(...parts) - Math.min(...parts) <= 1);
    }),
  );
});

test('at most the allowed number of processes get a share, and the shares add up to the whole', () => {
  fc.assert(
    fc.property(totals, counts, rotations, (most, count, rotation) => {
      const shares = sharesOf(count).flatMap((share) => shareAmong(most, share, rotation) ?? []);
      assert.equal(shares.length, Math.min(most, count));
      assert.equal(
        shares.reduce((sum, share) => sum + partOf(most, share), 0),
        most,
      );
      assert.deepEqual(
        shares.map(({ index }) => index).toSorted((one, other) => one - other),
        [...shares.keys()],
      );
    }),
  );
});

test('a different rotation gives the shares to different processes', () => {
  assert.deepEqual(
    sharesOf(4).map((share) => shareAmong(1, share, 3) !== null),
    [false, true, false, false],
  );
});
