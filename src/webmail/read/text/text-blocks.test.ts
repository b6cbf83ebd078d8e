import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../../test/support/any-text.ts';
import { processorClock } from '../../../../test/support/processor-time.ts';
import { textBlocks } from './text-blocks.ts';

const FIXED = { isFlowed: false, deletesSpace: false };
const links = (text: string) =>
  textBlocks(text, FIXED).blocks.flatMap(({ spans }) => spans.flatMap(({ href }) => href ?? []));
const shown = (text: string, options = FIXED) =>
  textBlocks(text, options).blocks.map(({ kind, depth, spans }) => [
    kind,
    depth,
    spans.map((span) => span.text).join(''),
  ]);

describe('plain text', () => {
  test('plain text is split into text, quotes and signature', () => {
    assert.deepEqual(shown('Hello\n> a\n>> b\n> > c\n>d\nBye\n-- \nAnn\n'), [
      ['text', 0, 'Hello'],
      ['quote', 1, 'a'],
      ['quote', 2, 'b\nc'],
      ['quote', 1, 'd'],
      ['text', 0, 'Bye'],
      ['signature', 0, '-- \nAnn\n'],
    ]);
  });

  test('plain text that was wrapped for sending is unwrapped', () => {
    const flowed = { isFlowed: true, deletesSpace: false };
    assert.deepEqual(shown('one \ntwo\n From here\n> quoted \n> too\n-- \nAnn', flowed), [
      ['text', 0, 'one two\nFrom here'],
      ['quote', 1, 'quoted too'],
      ['signature', 0, '-- \nAnn'],
    ]);
    assert.deepEqual(shown('日本 \n語', { isFlowed: true, deletesSpace: true }), [['text', 0, '日本語']]);
  });

  for (const [text, found] of [
    ['see https://a.example/x?y=1#z.', ['https://a.example/x?y=1#z']],
    ['(https://a.example/x_(y))', ['https://a.example/x_(y)']],
    ['<https://a.example/>, www.b.example', ['https://a.example/', 'https://www.b.example/']],
    ['write to ann@a.example!', ['mailto:ann@a.example']],
    ['https://ann@evil.example/', ['https://ann@evil.example/']],
    ['javascript:alert(1) data:text/html,x file:///x', []],
    ['x@y a@b.c', []],
  ] as const)
    test(`the links in plain text are found: ${text}`, () => assert.deepEqual(links(text), found));

  test('bidi controls are removed from plain text', () =>
    assert.deepEqual(shown('a\u202eb\u0007'), [['text', 0, 'ab']]));

  test('all content of plain text is kept', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 200 }), (text) => {
        const plain = text
          .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069]/g, '')
          .toWellFormed();
        const without = (each: string) => each.replaceAll(/^(?:>[ \t]?){1,200}/gm, '');
        assert.equal(
          shown(text)
            .map(([, , each]) => each)
            .join('\n'),
          without(plain),
        );
      }),
    );
  });

  for (const piece of ['>', '> \n', 'https://', 'www.', 'a@', 'a.', '@', 'http://a.b/(', '-- \n', ' \n'])
    test(`plain text of repeated ${JSON.stringify(piece)} takes linear time`, () => {
      const usedMs = processorClock();
      textBlocks(piece.repeat(Math.floor(1_000_000 / piece.length)), { isFlowed: true, deletesSpace: false });
      assert.ok(usedMs() < 3_000);
    });
});
