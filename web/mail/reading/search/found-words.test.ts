import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../../test/support/any-text.ts';
import { matchesIn } from './folded.ts';
import { foundWords } from './found-words.ts';

const MARKED: readonly [q: string, text: string, marked: readonly string[]][] = [
  ['plan', 'Plan the planning', ['Plan', 'plan']],
  ['muller', 'Jörg Müller', ['Müller']],
  ['MÜLLER', 'Jörg Mu\u0308ller', ['Mu\u0308ller']],
  ['strasse', 'Hauptstraße 5', ['straße']],
  ['"best regards"', 'With best regards', ['best regards']],
  ['from:ann subject:Plan has:file is:unread in:archive', 'ann: plan, file, unread', ['ann', 'plan']],
  ['-plan garden', 'plan of a garden', ['garden']],
  ['x', 'x', []],
  ['日本', '日本語', ['日本']],
];

for (const [q, text, marked] of MARKED)
  test(`the search ${q} marks ${marked.join(', ') || 'nothing'} in ${text}`, () => {
    const ranges = matchesIn(text, foundWords(q)).sort(([a], [b]) => a - b);
    assert.deepEqual(
      ranges.map(([from, to]) => text.slice(from, to)),
      marked,
    );
  });

test('marks are inside the text, whatever the text and the search', () => {
  fc.assert(
    fc.property(anyText(), anyText(), (q, text) => {
      for (const [from, to] of matchesIn(text, foundWords(q))) assert.ok(from < to && to <= text.length);
    }),
  );
});
