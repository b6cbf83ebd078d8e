import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { parseExposition } from './exposition.ts';

const GAUGE = '# HELP a What it is.\n# TYPE a gauge\n';
const HISTOGRAM = '# HELP h What it is.\n# TYPE h histogram\n';

const WRONG: readonly (readonly [why: string, text: string])[] = [
  ['no line feed at the end', `${GAUGE}a 1`],
  ['a sample without its family', 'a 1\n'],
  ['a sample of another family', `${GAUGE}b 1\n`],
  ['a series twice', `${GAUGE}a{x="1",y="2"} 1\na{y="2",x="1"} 2\n`],
  ['a label twice', `${GAUGE}a{x="1",x="2"} 1\n`],
  ['a family twice', `${GAUGE}a 1\n${GAUGE}a{x="1"} 1\n`],
  ['a value that is not a number', `${GAUGE}a null\n`],
  ['a quote that is not escaped', `${GAUGE}a{x="""} 1\n`],
  ['an unknown type', '# HELP a What.\n# TYPE a number\na 1\n'],
  [
    'buckets that are not cumulative',
    `${HISTOGRAM}h_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n`,
  ],
  ['a histogram without its last bucket', `${HISTOGRAM}h_bucket{le="1"} 1\nh_sum 1\nh_count 1\n`],
  ['a count that differs from the last bucket', `${HISTOGRAM}h_bucket{le="+Inf"} 1\nh_sum 1\nh_count 2\n`],
];

suite('parseExposition', () => {
  test('parses labels with escapes, special numbers and histograms', () => {
    const { series, types, sum, valuesOf } = parseExposition(
      `${GAUGE}a{x="q\\"b\\\\n\\n"} 1.5e-7\na{x="2"} +Inf\n\n${HISTOGRAM}h_bucket{le="+Inf"} 3\nh_sum 6\nh_count 3\n`,
    );
    assert.deepEqual([...valuesOf('a', 'x')], ['q"b\\n\n', '2']);
    assert.equal(sum('a', { x: '2' }), Number.POSITIVE_INFINITY);
    assert.equal(sum('h_count'), 3);
    assert.equal(types.get('h'), 'histogram');
    assert.equal(series.length, 5);
    assert.throws(() => sum('b'), /is missing/);
  });

  for (const [why, text] of WRONG) {
    test(`rejects ${why}`, () => {
      assert.throws(() => parseExposition(text), assert.AssertionError);
    });
  }
});
