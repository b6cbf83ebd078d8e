import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonText } from './json-text.ts';

const long = Array.from({ length: 12 }, () => 'a word');
const CASES: [value: unknown, text: string][] = [
  [{ to: ['a', 1, null], tags: [] }, '{\n  "to": ["a", 1, null],\n  "tags": []\n}'],
  [[{ a: 1 }], '[\n  {\n    "a": 1\n  }\n]'],
  [{ a: long }, `{\n  "a": [\n${long.map(() => '    "a word"').join(',\n')}\n  ]\n}`],
  [{}, '{}'],
];
for (const [value, text] of CASES)
  test(`${JSON.stringify(value).slice(0, 40)} is printed for readers`, () =>
    assert.equal(jsonText(value), text));

test('any printed value is the same value when it is parsed', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) =>
      assert.deepEqual(JSON.parse(jsonText(value)), JSON.parse(JSON.stringify(value))),
    ),
  );
});
