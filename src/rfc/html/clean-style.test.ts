import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cleanDeclarations, cleanStyle, type StyleRules } from './clean-style.ts';
import { readToken } from './style-tokens.ts';

const BLOCKED: StyleRules = { theme: 'light', image: () => null };
const PROXIED: StyleRules = { theme: 'light', image: (url) => `/images/${encodeURIComponent(url)}` };

const pieces = fc.constantFrom(
  'u',
  'r',
  'l',
  'ur',
  'rl',
  'url',
  'image',
  '-set',
  'sr',
  'c',
  '(',
  ')',
  '"',
  "'",
  '//evil/a',
  'a',
  '<!--',
  '-->',
  '<',
  '!',
  '-',
  '>',
  '/**/',
  '/*',
  '*/',
  '/',
  '*',
  '\\',
  '\0',
  '\n',
  ' ',
  '\\75 ',
  '@',
  '#',
  '1',
  '.',
  ':',
  ';',
  ',',
  '{',
  '}',
  '[',
  ']',
  '~',
  'background:',
  'color:',
  'a{',
  'red',
  'é',
);
const style = fc.array(pieces, { maxLength: 24 }).map((parts) => parts.join(''));

/** A function name in two halves, with text between the halves that the cleaner may remove. */
const halves = fc
  .record({
    name: fc.constantFrom('url', 'image-set', 'src', 'image', 'element'),
    at: fc.integer({ min: 1, max: 4 }),
    gap: fc.array(pieces, { minLength: 1, maxLength: 3 }),
    address: fc.constantFrom('//evil/a', '"//evil/a" 1x'),
  })
  .map(
    ({ name, at, gap, address }) =>
      `background:${name.slice(0, at)}${gap.join('')}${name.slice(at)}(${address})`,
  );

/** The functions and URLs that a browser would find in a style. */
function functionsIn(text: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; ) {
    const { kind, text: name, end } = readToken(text, at);
    if (kind === 'url') found.push('url');
    if (kind === 'function') found.push(name.toLowerCase());
    at = end;
  }
  return found;
}

test('a function name split by HTML comment marks stays split', () => {
  for (const [mark, gap] of [
    ['<!--', '/**/'],
    ['<!---->', '/**//**/'],
  ] as const)
    for (const [given, written] of [
      [`background:u${mark}rl(http://evil/own1)`, `background:u${gap}rl(http://evil/own1)`],
      [`background:ima${mark}ge-set("//evil" 1x)`, `background:ima${gap}ge-set("//evil" 1x)`],
    ] as const) {
      assert.equal(cleanDeclarations(given, BLOCKED), written);
      assert.equal(cleanStyle(`p{${given}}`, BLOCKED), `p{${written}}`);
    }
  assert.equal(cleanStyle('<!-- p{color:red} -->', BLOCKED), ' p{color:red}');
});

test('removing tokens never creates an unchecked function or URL', () => {
  for (const [clean, around] of [
    [cleanDeclarations, (text: string) => text],
    [cleanStyle, (text: string) => `a{${text}}`],
  ] as const)
    fc.assert(
      fc.property(fc.oneof(halves, style), (given) => {
        const functions = functionsIn(clean(around(given), BLOCKED));
        for (const each of functions) assert.doesNotMatch(each, /^(?:url|src|image|image-set|element)$/);
      }),
    );
});

test('cleaning a clean style changes nothing', () => {
  for (const clean of [cleanStyle, cleanDeclarations])
    fc.assert(
      fc.property(style, (given) => {
        const once = clean(given, BLOCKED);
        assert.equal(clean(once, BLOCKED).trimEnd(), once.trimEnd());
      }),
    );
});

test('cleaning preserves typical styles of mail', () => {
  const sheet =
    '@media (max-width:600px){.a > td,b{padding:0 4px!important;background:url("a b.png") no-repeat}}#x{width:calc(100% - 4px);margin:-1px}';
  assert.match(
    cleanStyle(sheet, PROXIED),
    /^@media \(max-width:600px\)\{.*url\("\/images\/a%20b.png"\).*margin:-1px\}$/,
  );
});
