import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteBudget } from './byte-budget.ts';

const KIB = 1024;

function openBudget(maxBytes: number) {
  const budget = new ByteBudget({ maxBytes, makeError: () => new Error('all') });
  const open = (holder: string, share = maxBytes) =>
    budget.open([{ holder, maxBytes: share, makeError: () => new Error(holder) }]);
  return { made: budget, open };
}

test('a holder is limited to its share, and can use released bytes again', () => {
  const { made: budget, open } = openBudget(1_000 * KIB);
  const [one, two] = [open('a', 100 * KIB), open('a', 100 * KIB)];
  one.resize(60 * KIB);
  assert.throws(() => two.resize(41 * KIB), { message: 'a' });
  two.resize(40 * KIB);
  open('b', 100 * KIB).resize(64 * KIB);
  one.resize(0);
  two.resize(0);
  assert.equal(budget.bytes, 64 * KIB);
  two.resize(64 * KIB);
});

test('all holders together are limited to the budget', () => {
  const { open } = openBudget(100 * KIB);
  open('a').resize(50 * KIB);
  open('b').resize(50 * KIB);
  assert.throws(() => open('c').resize(1), { message: 'all' });
});

test('a reservation keeps its size if a resize is rejected', () => {
  const { made: budget, open } = openBudget(100 * KIB);
  const hold = open('a');
  hold.resize(60 * KIB);
  assert.throws(() => hold.resize(101 * KIB), { message: 'a' });
  assert.equal(budget.bytes, 60 * KIB);
});

test('large reservations leave a quarter of the budget and of each share to small reservations', () => {
  const { open } = openBudget(1_000 * KIB);
  const large = open('a', 400 * KIB);
  assert.throws(() => large.resize(301 * KIB), { message: 'a' });
  large.resize(300 * KIB);
  open('a', 400 * KIB).resize(64 * KIB);
  assert.throws(() => open('a', 400 * KIB).resize(65 * KIB), { message: 'a' });
  open('b').resize(386 * KIB);
  assert.throws(() => open('c').resize(65 * KIB), { message: 'all' });
  open('c').resize(64 * KIB);
});

test('no sequence of resizes exceeds the limits, and resizing all reservations to 0 releases all bytes', () => {
  const step = fc.record({ hold: fc.nat(7), bytes: fc.nat(120 * KIB) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { made: budget, open } = openBudget(300 * KIB);
      const reservations = Array.from({ length: 8 }, (_, at) => ({
        hold: open(`h${at % 3}`, 150 * KIB),
        bytes: 0,
        holder: at % 3,
      }));
      for (const { hold: at, bytes } of steps) {
        const one = reservations[at] as (typeof reservations)[number];
        try {
          one.hold.resize(bytes);
          one.bytes = bytes;
        } catch {
          // A rejected resize keeps the previous size.
        }
        const sum = (of: typeof reservations) => of.reduce((total, each) => total + each.bytes, 0);
        assert.equal(budget.bytes, sum(reservations));
        assert.ok(budget.bytes <= 300 * KIB);
        for (const holder of [0, 1, 2])
          assert.ok(sum(reservations.filter((each) => each.holder === holder)) <= 150 * KIB);
      }
      for (const { hold } of reservations) hold.resize(0);
      assert.equal(budget.bytes, 0);
    }),
  );
});
