import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse, wcagContrast } from 'culori';
import fc from 'fast-check';
import { runs } from '../../../../test/support/property-runs.ts';
import { DARK_BACKGROUND, DarkColors } from './dark-colors.ts';

const converted = (property: string, value: string): string => new DarkColors().convert(property, value);

for (const [property, value, expected] of [
  ['color', '#000', '#eeeeee'],
  ['color', ' BLACK !important', ' #eeeeee !important'],
  ['color', 'inherit', 'inherit'],
  ['color', 'windowtext', 'windowtext'],
  ['background', '#fff', 'transparent'],
  ['background', 'none repeat scroll 0 0 #ffffff', 'none repeat scroll 0 0 transparent'],
  ['background-color', 'rgb(250, 250, 250)', 'transparent'],
  ['border-left', '2px solid black', '2px solid #aeaeae'],
  ['border-collapse', 'collapse', 'collapse'],
  ['font-family', 'Black, red', 'Black, red'],
  ['margin', '0', '0'],
] as const)
  test(`for a dark background, ${property}:${value} becomes ${expected}`, () =>
    assert.equal(converted(property, value), expected));

const byte = fc.integer({ min: 0, max: 255 });

test('converted text has a contrast of at least 4.5 to the dark background', () => {
  fc.assert(
    fc.property(byte, byte, byte, fc.double({ min: 0.01, max: 1, noNaN: true }), (r, g, b, alpha) => {
      const text = converted('color', `rgba(${r}, ${g}, ${b}, ${alpha})`);
      assert.match(text, /^#[0-9a-f]{6}$/);
      assert.ok(wcagContrast(text, DARK_BACKGROUND) >= 4.5, text);
    }),
    { numRuns: runs(2_000) },
  );
});

test('darker text becomes lighter text', () => {
  const lightness = ['#000', '#333', '#666', '#999'].map((color) =>
    wcagContrast(converted('color', color), '#000'),
  );
  assert.deepEqual(
    lightness,
    lightness.toSorted((a, b) => b - a),
  );
});

test('values without a known color do not change', () => {
  fc.assert(
    fc.property(fc.constantFrom('color', 'background', 'border'), fc.string(), (property, value) => {
      if (value.split(/[^\w#]+/).every((word) => parse(word) === undefined) && !/[(#]/.test(value))
        assert.equal(converted(property, value), value);
    }),
    { numRuns: runs(1_000) },
  );
});
