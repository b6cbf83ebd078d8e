/** Tests which sections a search finds, and in which order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openSite } from './site.fixture.ts';

interface Found {
  path: string;
  id: string;
  text: string;
  excerpt: { text: string; isMatch: boolean }[];
}
const { prepare, search } = (await import(new URL('files/search.js', import.meta.url).href)) as {
  prepare(pages: unknown): object[];
  search(sections: object[], query: string): Found[];
};
const sections = prepare(await (await openSite()).site.searchPages());

const QUESTIONS: [query: string, where: string][] = [
  ['domain-not-verified', 'errors#domain-not-verified'],
  ['webhooks', 'webhooks#'],
  ['POSTHORN_KEEP_DAYS', 'operate/configuration#'],
  ['app password', 'mailboxes#app-passwords'],
  ['idempotency', 'contract#idempotency'],
  ['send an email', 'api/emails#op-sendEmail'],
  ['rate limit', 'contract#rate-limits'],
];
for (const [query, where] of QUESTIONS) {
  test(`a search for "${query}" lists ${where} among the first three results`, () => {
    const results = search(sections, query).map(({ path, id }) => `${path}#${id}`);
    assert.ok(results.slice(0, 3).includes(where), results.slice(0, 6).join(' '));
  });
}

test('excerpts of the reference start at a field name and consist of whole words, without patterns and JSON', () => {
  const found = search(sections, 'scheduled_at').filter(({ path }) => path === 'api/emails');
  assert.ok(found.length > 0);
  const whole = new Set(['', ...found.flatMap(({ text }) => text.split(' '))]);
  for (const { excerpt } of found) {
    const text = excerpt.map((piece) => piece.text).join('');
    assert.match(text, /^(?:… )?scheduled_at: string \(date-time\)[^.]*, (?:optional|required)\. Addition/);
    assert.doesNotMatch(text, /[{}"^]/);
    const [end = ''] = /\S+(?= …$)/.exec(text) ?? [];
    assert.ok(whole.has(end), end);
  }
});

test('any query returns at most 20 sections, and each section contains all words', () => {
  const piece = fc.constantFrom(
    'email',
    'Domain',
    '(',
    '[',
    '\\',
    '*',
    '-',
    '.',
    '$',
    'ß',
    ' ',
    'key',
    '{id}',
    '|',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const found = search(sections, pieces.join(''));
      assert.ok(found.length <= 20);
      for (const { excerpt } of found) assert.ok(excerpt.every(({ text }) => typeof text === 'string'));
    }),
    { numRuns: 50 },
  );
});
