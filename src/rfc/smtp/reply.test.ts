import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import { enhancedCode, printable, replyText } from './reply.ts';

const cases: [code: number, lines: string[], enhanced: string | null, text: string][] = [
  [550, ['5.1.1 no such user'], '5.1.1', 'no such user'],
  [250, ['2.0.0 queued'], '2.0.0', 'queued'],
  [550, ['5.1.1'], '5.1.1', ''],
  [550, ['no such user'], null, 'no such user'],
  [550, ['5.7.26 first', '5.7.26 second'], '5.7.26', 'first second'],
  [550, ['5.123.456 x'], '5.123.456', 'x'],
  [550, ['5.1234.1 x'], null, '5.1234.1 x'],
  [550, ['5.1.1x'], null, '5.1.1x'],
  [550, ['4.2.2 the class contradicts'], null, 'the class contradicts'],
  [550, ['3.1.1 no such class'], null, '3.1.1 no such class'],
  [550, [''], null, ''],
];
for (const [code, lines, enhanced, text] of cases) {
  test(`${code} ${JSON.stringify(lines)} has the enhanced code ${enhanced} and the text ${JSON.stringify(text)}`, () => {
    assert.equal(enhancedCode({ code, lines }), enhanced);
    assert.equal(replyText({ code, lines }, 1_000), text);
  });
}

test('replyText truncates a long text', () => {
  assert.equal(replyText({ code: 550, lines: ['abc', 'def'] }, 5), 'abc d');
});

test('printable replaces characters that a terminal would interpret', () => {
  assert.equal(printable('a\u001b[2Jb\0\u0085\u2028\u202e\ud800c é', 100), 'a?[2Jb?????c é');
});

test('printable does not split a character', () => {
  assert.equal(printable('ab😀', 3), 'ab?');
});

test('replyText returns printable text within the limit for any reply', () => {
  fc.assert(
    fc.property(fc.array(anyText(), { minLength: 1 }), (lines) => {
      const text = replyText({ code: 550, lines }, 50);
      assert.ok(text.length <= 50 && text.isWellFormed() && !/\p{Cc}/u.test(text));
      enhancedCode({ code: 550, lines });
    }),
  );
});
