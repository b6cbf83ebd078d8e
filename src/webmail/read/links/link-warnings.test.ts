import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LinkWarnings } from './link-warnings.ts';

function warningsOf(links: readonly (readonly [href: string, text: string])[]): string[] {
  const warnings = new LinkWarnings();
  for (const [href, text] of links) warnings.add(href, text);
  return warnings.sentences;
}

const EVIL = 'https://evil.example/';

for (const [name, href, text, sentence] of [
  [
    'has a warning with its text and target',
    EVIL,
    'https://bank.com/login',
    'The link “https://bank.com/login” shows bank.com but leads to evil.example.',
  ],
  [
    'without text has a warning',
    'http://192.0.2.1/',
    ' \u200b ',
    'A link without text leads to an IP address (192.0.2.1) instead of a host name.',
  ],
  [
    'cannot end the quotation of its text',
    EVIL,
    'bank.com is safe” “Open "it',
    "The link “bank.com is safe' 'Open 'it” shows bank.com but leads to evil.example.",
  ],
  [
    'is identified by the start of a long text',
    EVIL,
    `www.bank.com ${'x'.repeat(100_000)}`,
    `The link “www.bank.com ${'x'.repeat(47)}…” shows bank.com but leads to evil.example.`,
  ],
  [
    'with right-to-left text does not reorder the warning',
    EVIL,
    '\u05d0\u05d1 bank.com',
    'The link “\u2068\u05d0\u05d1 bank.com\u2069” shows bank.com but leads to evil.example.',
  ],
] as const)
  test(`a misleading link ${name}`, () => assert.deepEqual(warningsOf([[href, text]]), [sentence]));

test('links with the same problem share a warning, and correct links have none', () => {
  const lie = [EVIL, 'bank.com'] as const;
  assert.deepEqual(
    warningsOf([['https://a.example/', 'a.example'], lie, [`${EVIL}2`, 'www.bank.com'], lie]),
    ['The link “bank.com” shows bank.com but leads to evil.example.'],
  );
});

test('each of the first twenty misleading links has a warning, and one more warning counts the other links', () => {
  const warningsAbout = (count: number) =>
    warningsOf(Array.from({ length: count }, (_, n) => [`https://evil${n}.example/`, 'bank.com']));
  assert.equal(warningsAbout(20).length, 20);
  assert.deepEqual(warningsAbout(21).slice(20), ['1 more link is misleading.']);
  assert.deepEqual(warningsAbout(1_000).slice(20), ['980 more links are misleading.']);
  assert.match(warningsAbout(1_000)[19] ?? '', /leads to evil19\.example/);
});
