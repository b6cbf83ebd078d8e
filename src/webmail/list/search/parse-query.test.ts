import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type MailTerm, parseQuery } from './parse-query.ts';

const PARSED: readonly [query: string, terms: MailTerm[]][] = [
  ['', []],
  ['  Grüße  AN ', [word('grusse'), word('an')]],
  ['"best  Regards', [word('best regards')]],
  ['"to: me" -spam', [word('to: me'), { ...word('spam'), not: true }]],
  [
    'from:Ann TO:"Bob B" -subject:Plan cc:x@y.example',
    [
      word('ann', 'from'),
      word('bob b', 'to'),
      { ...word('plan', 'subject'), not: true },
      word('x@y.example', 'cc'),
    ],
  ],
  [
    'has:file has:attachments',
    [
      { has: 'file', not: false },
      { has: 'file', not: false },
    ],
  ],
  [
    'is:Unread -is:starred',
    [
      { is: 'unread', not: false },
      { is: 'starred', not: true },
    ],
  ],
  [
    'in:Junk -in:"My Plans/2026"',
    [
      { folder: 'junk', not: false },
      { folder: 'my plans/2026', not: true },
    ],
  ],
  [
    'after:2026-02-28 before:2026',
    [
      { after: new Date('2026-02-28'), not: false },
      { before: new Date('2026-01-01'), not: false },
    ],
  ],
  [
    'larger:5M smaller:10kb',
    [
      { largerThan: 5 * 1024 * 1024, not: false },
      { smallerThan: 10_240, not: false },
    ],
  ],
  // An operator without a value is valid, because the user may still be typing.
  ['from: in: plan', [word('plan')]],
  [
    'https://x.example/a unknown:b __proto__:c',
    [word('https://x.example/a'), word('unknown:b'), word('__proto__:c')],
  ],
  ['東', [word('東')]],
];

function word(text: string, place: 'anywhere' | 'from' | 'to' | 'cc' | 'subject' = 'anywhere'): MailTerm {
  return { text, in: place, not: false };
}

for (const [query, terms] of PARSED)
  test(`${query === '' ? 'an empty query' : `the query ${query}`} is parsed into its terms`, () => {
    assert.deepEqual(parseQuery(query), { terms, problem: null });
  });

for (const query of [
  'a',
  'has:horns',
  'is:late',
  'before:20',
  'after:2026-02-30',
  'before:0000',
  'larger:big',
  'x '.repeat(3),
])
  test(`in a query, ${query} is reported as an error, and the other terms are parsed`, () => {
    const { terms, problem } = parseQuery(`${query} plan`);
    assert.deepEqual(terms, [word('plan')]);
    assert.match(problem ?? '', /[.]$/);
  });

test('any text is a valid query with at most 20 terms', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(fc.string(), fc.constantFrom('"', '-', 'from:', 'in:', 'is:', ' ', 'before:', 'larger:9')),
      ),
      (parts) => {
        const { terms } = parseQuery(parts.join(''));
        assert.ok(terms.length <= 20);
        for (const term of terms) if ('text' in term) assert.ok(term.text !== '' && term.text.length <= 800);
      },
    ),
  );
  for (const hostile of ['-'.repeat(1_000), '"'.repeat(1_000), 'a:'.repeat(500), 'from:"'.repeat(160)])
    assert.ok(parseQuery(hostile).terms.length <= 20);
});
