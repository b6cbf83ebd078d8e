import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.ts';
import { processorClock } from '../../../test/support/processor-time.ts';
import { readXml, xml } from './xml.ts';

describe('readXml reads', () => {
  for (const [document, name, text] of [
    ['<a/>', 'a', ''],
    ['\ufeff<?xml version="1.0"?>\n<!-- c --><a>x</a>\n<!-- d -->\n', 'a', 'x'],
    ['<n:a xmlns:n="u"> x </n:a >', 'a', 'x'],
    ['<a><![CDATA[<b>&amp;]]></a>', 'a', '<b>&amp;'],
    ['<a>&lt;&#65;&#x1F600;&amp;amp;</a>', 'a', '<A\u{1f600}&amp;'],
    ['<a b=\'1\'\n c="&quot;2"/>', 'a', ''],
    ['<a>x<b>y</b>z</a>', 'a', 'xz'],
  ] as const)
    test(`readXml reads ${document.slice(0, 60)}`, () => {
      const root = readXml(document);
      assert.deepEqual([root?.name, root?.text], [name, text]);
    });
});

describe('readXml rejects', () => {
  for (const [what, document] of [
    ['an empty text', ''],
    ['text without an element', 'text'],
    ['text after the root', '<a/>text'],
    ['two roots', '<a/><b/>'],
    ['an element that is not closed', '<a><b></b>'],
    ['elements closed in the wrong order', '<a><b></a></b>'],
    ['an end tag with another prefix', '<n:a></m:a>'],
    ['an end tag without a start tag', '</a>'],
    ['an unterminated tag', '<a b="1"'],
    ['an attribute without quotes', '<a b=1/>'],
    ['a duplicate attribute', '<a b="1" b="2"/>'],
    ['an unterminated comment', '<a><!-- </a>'],
    ['an unterminated CDATA section', '<a><![CDATA[ </a>'],
    ['CDATA outside the root', '<![CDATA[x]]><a/>'],
    ['a document type', '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'],
    ['an external entity', '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>'],
    ['an unknown entity', '<a>&x;</a>'],
    ['a bare ampersand', '<a>a & b</a>'],
    ['the character NUL', '<a>&#0;</a>'],
    ['a character beyond Unicode', '<a>&#x110000;</a>'],
    ['a lone surrogate', '<a>&#xD800;</a>'],
    ['17 levels', `${'<a>'.repeat(17)}${'</a>'.repeat(17)}`],
    ['201 elements', `<a>${'<b/>'.repeat(200)}</a>`],
    ['a document that is too long', `<a>${'x'.repeat(16 * 1024)}</a>`],
  ] as const)
    test(`readXml rejects ${what}`, () => assert.equal(readXml(document), null));
});

test('readXml reads 16 levels and 200 elements', () => {
  assert.notEqual(readXml(`${'<a>'.repeat(16)}${'</a>'.repeat(16)}`), null);
  assert.equal(readXml(`<a>${'<b/>'.repeat(199)}</a>`)?.children.length, 199);
});

test('any value in an XML template is escaped, and readXml returns the same value', () => {
  const writable = fc
    .string({ unit: 'grapheme', maxLength: 200 })
    .filter((text) => !/[\p{Cc}\ufffe\uffff]/u.test(text));
  fc.assert(
    fc.property(writable, (text) => {
      const root = readXml(xml`<a b="${text}"><c>${text}</c></a>`.toString());
      assert.equal(root?.attributes.get('b'), text);
      assert.equal(root?.children[0]?.text, text.trim());
    }),
  );
});

test('an XML template replaces characters that XML cannot represent', () => {
  assert.equal(xml`<a>${'a\0b\u001bc\ud800'}</a>`.toString(), '<a>a\ufffdb\ufffdc\ufffd</a>');
});

const piece = fc.oneof(
  fc.constantFrom(
    '<',
    '>',
    '/',
    '</',
    '<a',
    '<a>',
    '</a>',
    '<a/>',
    '&',
    ';',
    '&#',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
  ),
  fc.constantFrom('<?', '?>', ' b="', "='", '"', ' ', '\n', 'a', ':', '<!DOCTYPE'),
  fc.string({ maxLength: 5 }),
);
test('readXml never throws and takes bounded time for any document', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 400 }), (pieces) => {
      const usedMs = processorClock();
      readXml(pieces.join(''));
      assert.ok(usedMs() < 1_000);
    }),
    { numRuns: runs(500) },
  );
  for (const piece of [
    '<a ',
    '<a b="" ',
    '&',
    '&#1;',
    '<!--',
    '<a>',
    '</a>',
    '<a:',
    ' b=',
    '<a' + ' '.repeat(50),
  ]) {
    const usedMs = processorClock();
    // Read the largest document 20 times. Quadratic time would take seconds.
    for (let times = 0; times < 20; times++) readXml(`<r>${piece.repeat(16_000 / piece.length)}`);
    assert.ok(usedMs() < 1_000, piece);
  }
});
