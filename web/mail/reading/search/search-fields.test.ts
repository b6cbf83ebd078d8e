import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldsOf, NO_FIELDS, type SearchFields, textOf } from './search-fields.ts';

const CASES: readonly [text: string, fields: Partial<SearchFields>][] = [
  ['', {}],
  ['plan garden', { words: 'plan garden' }],
  ['from:ann to:"Bob B" plan', { from: 'ann', to: 'Bob B', words: 'plan' }],
  ['"best regards" in:"Plans/2026"', { words: '"best regards"', folder: 'Plans/2026' }],
  ['subject:plan -from:ann cc:bo', { subject: 'plan', words: '-from:ann cc:bo' }],
  ['filename:offer has:file larger:5M', { filename: 'offer', hasFile: true, largerMb: '5' }],
  ['after:2026-02-28 before:2026-03-01', { after: '2026-02-28', until: '2026-02-28' }],
  ['before:2026 larger:10K is:unread', { words: 'before:2026 larger:10K is:unread' }],
  ['from:ann from:bo', { from: 'ann', words: 'from:bo' }],
];

for (const [text, fields] of CASES)
  test(`the form shows the search ${text || '(empty)'}, and writes a search with the same meaning`, () => {
    const all = { ...NO_FIELDS, ...fields };
    assert.deepEqual(fieldsOf(text), all);
    assert.deepEqual(fieldsOf(textOf(all)), all);
  });

test('values of the form cannot add other terms', () => {
  assert.equal(
    textOf({ ...NO_FIELDS, from: 'a" in:trash "', largerMb: '5 in:junk', after: 'x' }),
    'from:"a in:trash"',
  );
});
