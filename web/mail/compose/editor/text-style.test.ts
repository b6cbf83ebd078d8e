import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { alignOf, hexOf, styleOf, textStyleOf } from './text-style.ts';

const NONE = { color: null, background: null, size: null };

for (const [style, expected] of [
  ['color: #C00', { color: '#cc0000' }],
  ['color:rgb(198, 40, 40);font-size:18pt', { color: '#c62828', size: 'large' }],
  ['COLOR: Red !important', { color: '#ff0000' }],
  ['color: red; color: rgba(0, 0, 255, 1)', { color: '#0000ff' }],
  ['background-color: #fff3a3; color: #1b1f26', { background: '#fff3a3' }],
  ['background: yellow', { background: '#ffff00' }],
  ['color: windowtext; background: white', {}],
  ['color: #000; background-color: rgb(255, 255, 255)', {}],
  ['color: rgba(255, 0, 0, 0.5)', {}],
  ['background: url(https://evil.example/x) red', {}],
  ['font-size: 11px', { size: 'small' }],
  ['font-size: 11pt', {}],
  ['font-size: x-large', { size: 'large' }],
  ['font-size: 1.3em', { size: 'large' }],
  ['font-size: 0.85em', { size: 'small' }],
  ['font-size: 99999999', {}],
] as const)
  void test(`the style "${style}" is read`, () => {
    assert.deepEqual(textStyleOf(style), { ...NONE, ...expected });
  });

void test('a style that was written for mail is read as it was', () => {
  const color = fc.constantFrom(null, '#c62828', '#1565c0');
  const background = fc.constantFrom(null, '#fff3a3', '#cfe4ff');
  const size = fc.constantFrom(null, 'small' as const, 'large' as const);
  fc.assert(
    fc.property(fc.record({ color, background, size }), (style) => {
      assert.deepEqual(textStyleOf(styleOf(style)), { ...style });
    }),
  );
});

void test('no text of a style ends up in the style for mail', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      const written = styleOf(textStyleOf(`color: ${a}; background-color: ${b}; font-size: ${a}`));
      assert.match(written, /^(?:(?:(?:background-)?color: #[\da-f]{6}|font-size: [\d.]+em)(?:; |$))*$/);
    }),
  );
});

void test('alignments and colors that the editor does not know are left out', () => {
  assert.deepEqual(
    ['center', 'right', 'justify', 'start', 'inherit'].map((align) => alignOf(`text-align: ${align}`)),
    ['center', 'right', 'justify', null, null],
  );
  assert.deepEqual(['constructor', '#12', 'rgb(1,2)', '#12345g'].map(hexOf), [null, null, null, null]);
});
