import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EDGE, MAX_HEIGHT, pageHeight, positionAt, scrollFor } from './stretch.ts';

const view = fc.integer({ min: 100, max: 3_000 });
const high = fc.integer({ min: MAX_HEIGHT + 1, max: 44 * 50_000_000 });
const part = fc.double({ min: 0, max: 1, noNaN: true });

test('a list that fits into an element has the height of the element', () => {
  assert.equal(pageHeight(MAX_HEIGHT), MAX_HEIGHT);
  assert.equal(positionAt(9_000_000, MAX_HEIGHT, 900), 9_000_000);
  assert.equal(scrollFor(9_000_000, MAX_HEIGHT, 900), 9_000_000);
});

test('near both ends of a taller list, a pixel of the page is a pixel of the list', () => {
  fc.assert(
    fc.property(high, view, fc.integer({ min: -500, max: EDGE }), (list, height, away) => {
      const end = MAX_HEIGHT - height;
      assert.equal(positionAt(away, list, height), away);
      assert.equal(positionAt(end - away, list, height), list - height - away);
    }),
  );
});

test('the mapping is monotonic, and its inverse returns the same pixel', () => {
  fc.assert(
    fc.property(high, view, part, part, (list, height, one, other) => {
      const [a = 0, b = 0] = [one, other]
        .map((each) => Math.round(each * (MAX_HEIGHT - height)))
        .toSorted((x, y) => x - y);
      assert.ok(positionAt(a, list, height) <= positionAt(b, list, height));
      assert.equal(scrollFor(positionAt(a, list, height), list, height), a);
    }),
  );
});
