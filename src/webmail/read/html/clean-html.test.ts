/** Random hostile HTML passes through both defenses, and is then parsed like in a browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type DefaultTreeAdapterMap, parse } from 'parse5';
import { ATTRIBUTES, ELEMENTS } from '../../../rfc/html/write-shown.ts';
import { prepareForDisplay } from './clean-html.ts';
import { FRAME_SCRIPT } from './frame-script.ts';
import { mailDocument } from './mail-document.ts';
import { isTooMuch } from './size.ts';

const EVIL = 'http://evil.test';
const TAGS =
  'a b p div span table tr td caption form input button select option textarea svg math mtext mi mglyph malignmark annotation-xml foreignObject desc title style script noscript noembed noframes iframe xmp plaintext template img br body html head meta base link object embed marquee frameset ul li dd font nobr h1 pre keygen video x-y'.split(
    ' ',
  );
const NAMES =
  'href src srcset style onerror onload xlink:href action formaction background data content http-equiv is id name class title alt target ping encoding xmlns shadowrootmode usemap bgcolor'.split(
    ' ',
  );
const VALUES = [
  '',
  '1',
  `${EVIL}/x`,
  '//evil.test/p',
  'javascript:alert(1)',
  'text/html',
  'open',
  'cid:x',
  '`',
  "'",
  `background:url(${EVIL}/u)`,
  `\\75rl(${EVIL})`,
  `image-set("${EVIL}" 1x)`,
  `0;url=${EVIL}`,
  `"><img src=${EVIL} onerror=1>`,
  '</style><img src=x onerror=1>',
  '-->',
  '--!>',
  '<!--',
  ']]>',
  '&#x22;',
];
const TEXTS = [
  'x',
  '<!--',
  '-->',
  '--!>',
  '<![CDATA[',
  ']]>',
  '<!doctype html>',
  '<?x',
  '&lt;',
  '&amp;lt;',
  '"',
  "'",
  '>',
  '<',
  '</',
  '\0',
  '</style>',
  '</title>',
  '</svg>',
  '</math>',
  '</p>',
  '</table>',
  '</template>',
  '</noscript>',
  '<!-->',
  '\r',
  '\f',
  `@import "${EVIL}";`,
  `p{background:url(${EVIL})}`,
  '{',
  '}',
  ';',
  '\\',
  '*/',
  '/*',
  'url(',
  EVIL,
];
const attribute = fc
  .tuple(fc.constantFrom(...NAMES), fc.constantFrom(...VALUES), fc.constantFrom('"', "'", ''))
  .map(([name, value, quote]) => ` ${name}=${quote}${value}${quote}`);
const start = fc
  .tuple(fc.constantFrom(...TAGS), fc.array(attribute, { maxLength: 3 }), fc.constantFrom('>', '/>', ''))
  .map(([tag, attributes, end]) => `<${tag}${attributes.join('')}${end}`);
const end = fc.constantFrom(...TAGS).map((tag) => `</${tag}>`);
const html = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: start },
      { weight: 2, arbitrary: end },
      { weight: 3, arbitrary: fc.constantFrom(...TEXTS) },
    ),
    { minLength: 1, maxLength: 30 },
  )
  .map((pieces) => pieces.join(''));

type Node = DefaultTreeAdapterMap['node'];
const OWN_ELEMENTS = new Set(['style', 'meta', 'title']);
const ADDRESSES: Readonly<Record<string, RegExp>> = {
  href: /^(?:https?:|\/shown\/mailto%3A|#)/,
  src: /^(?:data:image|\/shown\/)/,
  background: /^(?:data:image|\/shown\/)/,
};
/** Matches anything that loads a resource, in a style whose strings and rewritten images were removed. */
const LOADS = /url\s*\(|image-set|src\(|@(?!media|supports)|\\/i;

function assertHarmless(node: Node): void {
  assert.notEqual(node.nodeName, '#comment');
  if ('tagName' in node) {
    assert.equal(node.namespaceURI, 'http://www.w3.org/1999/xhtml');
    assert.ok(ELEMENTS.has(node.tagName) || OWN_ELEMENTS.has(node.tagName), node.tagName);
    for (const { name, value } of node.attrs) {
      if (node.tagName === 'meta') assert.ok(['charset', 'name', 'content'].includes(name), name);
      else if (name === 'style') assertLoadsNothing(value);
      else
        assert.ok(
          ADDRESSES[name]?.test(value) ?? (ATTRIBUTES.has(name) || /^(?:target|rel)$/.test(name)),
          name,
        );
    }
  }
  if (!('childNodes' in node)) return;
  for (const child of node.childNodes) {
    if (node.nodeName === 'style' && 'value' in child) assertLoadsNothing(child.value);
    assertHarmless(child);
  }
}

function assertLoadsNothing(style: string): void {
  const rest = style.replaceAll(/url\("\/shown\/[^"]*"\)/g, '').replaceAll(/"[^"]*"/g, '');
  assert.doesNotMatch(rest, LOADS);
}

test('sanitized HTML has only allowed elements and attributes, and loads resources only through this service', () =>
  fc.assert(
    fc.property(html, (hostile) => {
      if (isTooMuch(hostile)) return;
      const clean = prepareForDisplay(hostile).html;
      const through = (url: string) => `/shown/${encodeURIComponent(url)}`;
      for (const remote of [null, through])
        for (const scriptingEnabled of [false, true])
          assertHarmless(
            parse(
              mailDocument(clean, { theme: 'light', remote, inline: through, writing: through }).replace(
                `<script>${FRAME_SCRIPT}</script>`,
                '',
              ),
              { scriptingEnabled },
            ),
          );
    }),
    { numRuns: 150 },
  ));
