import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.ts';
import { normalForm } from './normal-form.ts';
import { mergeSegments } from './merge-segments.ts';
import { addPostings, bitmapLength, encodePostings, readPostings } from './postings.ts';
import { SegmentBuilder } from './segment-builder.ts';
import { TermList } from './term-list.ts';
import { planNeedle } from './terms.ts';

/** Splits a list into up to three parts of different sizes. */
function inParts<T>(list: readonly T[]): T[][] {
  const [first, second] = [Math.ceil(list.length / 3), Math.ceil(list.length / 2)];
  return [list.slice(0, first), list.slice(first, second), list.slice(second)].filter(
    (part) => part.length > 0,
  );
}

function listOf(octets: Uint8Array, documents: number): number[] {
  const list: number[] = [];
  readPostings(octets, documents, (document) => list.push(document));
  return list;
}

/** The matches of the index alone, after merging segments. */
function candidates(texts: readonly string[], needle: string): { found: number[]; isExact: boolean } {
  const { terms, postings } = mergeSegments(
    inParts(texts).map((part) => {
      const builder = new SegmentBuilder();
      for (const text of part) builder.add(text);
      return { ...builder.finish(), documents: part.length };
    }),
  );
  const list = new TermList(terms);
  const { queries, isExact } = planNeedle(needle);
  let found = texts.map((_, n) => n);
  for (const query of queries) {
    const bitmap = new Uint8Array(bitmapLength(texts.length));
    for (const { start, length } of list.find(query))
      addPostings(bitmap, postings.subarray(start, start + length), texts.length);
    const documents = new Set(listOf(bitmap, texts.length));
    found = found.filter((n) => documents.has(n));
  }
  return { found, isExact };
}

const TEXTS = [
  'the quick brown fox',
  'jumps over the lazy dog',
  '東京都の天気 is fine',
  'straße grüße café',
  'mail to a.b@example.test now',
  'สวัสดีครับ привет',
  '',
].map(normalForm);

const FOUND: readonly [needle: string, documents: readonly number[], isExact: boolean][] = [
  ['the', [0, 1], true],
  ['row', [0], true],
  ['THE', [0, 1], true],
  ['h', [0, 1], true],
  ['ui', [0], true],
  ['東京', [2], true],
  ['京', [2], true],
  ['東京都', [2], false],
  ['STRASSE', [3], true],
  ['cafe', [3], true],
  ['Café', [3], true],
  ['the quick', [0], false],
  ['e lazy', [1], false],
  ['b@ex', [4], false],
  ['a.b@example.test', [4], false],
  ['สวัสดี', [5], false],
  ['ривет', [5], true],
  ['absent', [], true],
  ['over the quick', [], false],
];

describe('the word index', () => {
  for (const [needle, documents, isExact] of FOUND) {
    it(`finds ${JSON.stringify(needle)}`, () => {
      const result = candidates(TEXTS, normalForm(needle));
      assert.deepEqual(result, { found: documents, isExact });
    });
  }

  it('finds every text that contains a needle, and no other text if the plan is exact', () => {
    const unit = fc.constantFrom(...'aabc  .@_é東京ส😀1');
    const texts = fc.array(fc.string({ unit, maxLength: 25 }).map(normalForm), {
      minLength: 1,
      maxLength: 30,
    });
    const needles = fc.string({ unit, minLength: 1, maxLength: 6 }).map(normalForm);
    fc.assert(
      fc.property(texts, needles, fc.nat(), fc.nat(), fc.boolean(), (list, other, from, length, isWithin) => {
        const whole = list[from % list.length] ?? '';
        const points = [...whole];
        const begin = from % (points.length + 1);
        const cut = points.slice(begin, begin + 1 + (length % 8)).join('');
        const needle = isWithin && cut !== '' ? cut : other;
        const { found, isExact } = candidates(list, needle);
        const right = list.flatMap((text, n) => (text.includes(needle) ? [n] : []));
        if (isExact) assert.deepEqual(found, right, needle);
        else for (const n of right) assert.ok(found.includes(n), needle);
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('finds terms at any position of a long list of terms', () => {
    const texts = Array.from({ length: 3_000 }, (_, n) => `word${n} common${n % 7 === 0 ? ' seventh' : ''}`);
    assert.deepEqual(candidates(texts, 'word2999').found, [2_999]);
    assert.deepEqual(candidates(texts, 'ord1').found.length, 1_111);
    assert.equal(candidates(texts, 'common').found.length, 3_000);
    assert.equal(candidates(texts, 'seventh').found.length, 429);
  });
});

describe('postings', () => {
  it('are unchanged after encoding and decoding', () => {
    const lists = fc
      .uniqueArray(fc.nat(4_999), { maxLength: 3_000 })
      .map((list) => list.sort((a, b) => a - b));
    fc.assert(
      fc.property(lists, (list) => {
        const bitmap = new Uint8Array(bitmapLength(5_000));
        const octets = encodePostings(list, 5_000);
        assert.ok(octets.length <= bitmap.length);
        addPostings(bitmap, octets, 5_000);
        assert.deepEqual(listOf(bitmap, 5_000), list);
        assert.deepEqual(listOf(octets, 5_000), list);
      }),
    );
  });
});
