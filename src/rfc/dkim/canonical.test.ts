import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.ts';
import { processorClock } from '../../../test/support/processor-time.ts';
import { relaxBody, relaxFieldBody } from './canonical.ts';

const body = (text: string) => relaxBody(Buffer.from(text, 'latin1')).toString('latin1');

/** Text that consists mostly of characters that the rules treat specially, so that even short examples are edge cases. */
const whitespaceText = fc
  .array(fc.constantFrom(' ', '  ', '\t', '\r\n', '\r', '\n', 'a', 'bc', '\u00a0', '.'), { maxLength: 40 })
  .map((parts) => parts.join(''));

/** Text for a field body. Every CRLF is a fold, because another CRLF would end the field. */
const fieldBody = whitespaceText.map((text) => text.replaceAll('\r\n', '\r\n '));

/** Reference implementation of RFC 6376, section 3.4.4, step by step. */
const byTheRules = (text: string) => {
  const lines = text.split('\r\n').map((line) => line.replace(/[ \t]+/g, ' ').replace(/ $/, ''));
  while (lines.at(-1) === '') lines.pop();
  return lines.map((line) => `${line}\r\n`).join('');
};

describe('relaxed field bodies', () => {
  const cases: [name: string, given: string, relaxed: string][] = [
    ['example A of RFC 6376, section 3.4.5', ' X', 'X'],
    ['example B of RFC 6376, section 3.4.5', ' Y\t\r\n\tZ  ', 'Y Z'],
    ['nothing', '', ''],
    ['only whitespace', ' \t \r\n ', ''],
    ['a single space', ' ', ''],
    ['a body without whitespace around it', 'x y', 'x y'],
    ['a no-break space, which is content', ' \u00a0x\u00a0 ', '\u00a0x\u00a0'],
    ['a bare CR and a bare LF, which are content', ' a\rb\nc ', 'a\rb\nc'],
  ];
  for (const [name, given, relaxed] of cases) {
    test(`relaxFieldBody relaxes ${name}`, () => assert.equal(relaxFieldBody(given), relaxed));
  }

  test('relaxFieldBody does not change a relaxed field body', () => {
    fc.assert(
      fc.property(fieldBody, (text) => {
        const once = relaxFieldBody(text);
        assert.equal(relaxFieldBody(once), once);
      }),
    );
  });

  test('relaxFieldBody takes linear time for a megabyte of whitespace', () => {
    const hostile = ` ${'\r\n \t'.repeat(250_000)}x${' '.repeat(100_000)}y`;
    const usedMs = processorClock();
    assert.equal(relaxFieldBody(hostile), 'x y');
    assert.ok(usedMs() < 2_000);
  });
});

describe('relaxed message bodies', () => {
  const cases: [name: string, given: string, relaxed: string][] = [
    ['the example of RFC 6376, section 3.4.5', ' C \r\nD \t E\r\n\r\n\r\n', ' C\r\nD E\r\n'],
    ['no body', '', ''],
    ['only line ends', '\r\n\r\n\r\n', ''],
    ['only whitespace and line ends', ' \t\r\n \r\n', ''],
    ['only whitespace', '  ', ''],
    ['clean text', 'a b\r\nc\r\n', 'a b\r\nc\r\n'],
    ['clean text with empty lines after it', 'a b\r\n\r\n\r\n', 'a b\r\n'],
    ['leading empty lines and empty lines in between', '\r\n\r\na\r\n\r\nb\r\n', '\r\n\r\na\r\n\r\nb\r\n'],
    ['a last line without a line end', 'a', 'a\r\n'],
    ['whitespace at the very end', 'a \t', 'a\r\n'],
    ['one space before a line end', 'a \r\nb\r\n', 'a\r\nb\r\n'],
    ['one tab between words', 'a\tb\r\n', 'a b\r\n'],
    ['whitespace at the start of a line', '\t  a\r\n', ' a\r\n'],
    ['a bare CR and a bare LF, which are content', 'a \rb \nc\r\n', 'a \rb \nc\r\n'],
    ['a bare LF at the end', 'a\n', 'a\n\r\n'],
    ['a bare CR at the end', 'a\r', 'a\r\r\n'],
  ];
  for (const [name, given, relaxed] of cases) {
    test(`relaxBody relaxes ${name}`, () => assert.equal(body(given), relaxed));
  }

  test('relaxBody does not change a relaxed body', () => {
    fc.assert(
      fc.property(whitespaceText, (text) => {
        const once = body(text);
        assert.equal(body(once), once);
      }),
    );
  });

  test('relaxBody returns the same result as the rules of RFC 6376, section 3.4.4, applied one after the other', () => {
    fc.assert(
      fc.property(whitespaceText, (text) => assert.equal(body(text), byTheRules(text))),
      { numRuns: runs(1_000) },
    );
  });

  test('relaxBody does not copy a body that is already relaxed', () => {
    const clean = Buffer.from('a b\r\nc\r\n');
    assert.equal(relaxBody(clean).buffer, clean.buffer);
    assert.equal(relaxBody(clean).byteOffset, clean.byteOffset);
  });

  test('relaxBody takes linear time for megabytes of whitespace and line ends', () => {
    const usedMs = processorClock();
    assert.equal(body(' \r\n'.repeat(500_000)), '');
    assert.equal(body(`a${' \t'.repeat(500_000)}`), 'a\r\n');
    assert.ok(usedMs() < 2_000);
  });
});
