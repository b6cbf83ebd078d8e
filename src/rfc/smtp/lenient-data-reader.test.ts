import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { DataEnd } from './data-reader.ts';
import { dotStuff, endOfData } from './dot-stuffing.ts';
import { LenientDataReader } from './lenient-data-reader.ts';

const ROOM = 10_000;

function read(chunks: readonly Buffer[], max = ROOM): DataEnd | null {
  const reader = new LenientDataReader(max, () => true);
  for (const [at, chunk] of chunks.entries()) {
    const end = reader.push(chunk);
    if (end !== null) return { ...end, rest: Buffer.concat([end.rest, ...chunks.slice(at + 1)]) };
  }
  return null;
}

const ended = (data: string, rest = ''): DataEnd => ({
  read: { data: Buffer.from(data) },
  rest: Buffer.from(rest),
});

const cases: [bytes: string, end: DataEnd | null][] = [
  ['.\r\n', ended('')],
  ['a\r\nb\r\n.\r\n', ended('a\r\nb\r\n')],
  ['a\r\n.\r\nMAIL', ended('a\r\n', 'MAIL')],
  ['..\r\n...a\r\n.\r\n', ended('.\r\n..a\r\n')],
  ['.a\r\n.\r\n', ended('a\r\n')],
  ['a\nb\rc\r\n.\r\n', ended('a\nb\rc\r\n')],
  ['a\n.\nb\n.\r\nc\r\n.\r\n', ended('a\n.\nb\n.\r\nc\r\n')],
  ['a\r.\r\nb\r\n.\r\n', ended('a\r.\r\nb\r\n')],
  ['a\r\n.\nb\r\n.\r\n', ended('a\r\n\nb\r\n')],
  ['a\r\n.\rb\r\n.\r\n', ended('a\r\n\rb\r\n')],
  ['a\r\r\n.\r\n', ended('a\r\r\n')],
  ['.\r\r\n.\r\n', ended('\r\r\n')],
  ['a\r\n.', null],
  ['a\r\n.\r', null],
  ['a\n.\n', null],
  ['a\r.\r', null],
];

describe('the data of a client that has signed in', () => {
  for (const [bytes, end] of cases) {
    test(`${JSON.stringify(bytes)}, in one piece and octet by octet`, () => {
      const octets = Buffer.from(bytes);
      assert.deepEqual(read([octets]), end);
      assert.deepEqual(read([...octets].map((octet) => Buffer.from([octet]))), end);
    });
  }

  test('is what was stuffed, however it is split, whatever line ends and dots are in it', () => {
    const part = fc.constantFrom('\r\n', '\n', '\r', '.', '..', 'a', 'MAIL FROM:<x@y.test>', '\0', 'é');
    const text = fc.array(part, { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, fc.array(fc.nat(200), { maxLength: 5 }), (data, rest, cuts) => {
        const raw = Buffer.from(data);
        // As a program does that doubles a dot behind CRLF alone.
        const stuffed = Buffer.from(data.replace(/^\./, '..').replaceAll('\r\n.', '\r\n..'));
        for (const wire of [stuffed, ...(/(?:^|[^\r])\n|\r(?!\n)/.test(data) ? [] : [dotStuff(raw)])]) {
          const whole = Buffer.concat([wire, Buffer.from(endOfData(raw)), Buffer.from(rest)]);
          const at = [0, ...cuts.map((cut) => Math.min(cut, whole.length)), whole.length].sort(
            (a, b) => a - b,
          );
          const chunks = at.slice(1).map((end, n) => whole.subarray(at[n], end));
          const end = data === '' || data.endsWith('\r\n') ? data : `${data}\r\n`;
          assert.deepEqual(read(chunks), ended(end, rest));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('that is longer than it may be is read to its end', () => {
    assert.deepEqual(read([Buffer.from('12345\r\n.\r\nx')], 6), {
      read: { fault: 'too-large' },
      rest: Buffer.from('x'),
    });
  });
});
