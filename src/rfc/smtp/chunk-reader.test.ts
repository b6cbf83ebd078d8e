import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.ts';
import { ChunkReader } from './chunk-reader.ts';
import type { ReadContent } from './content-buffer.ts';

const MAX = 100;

function read(chunks: readonly string[], room = Number.POSITIVE_INFINITY): ReadContent {
  const reader = new ChunkReader(MAX, (octets) => octets <= room);
  for (const chunk of chunks) {
    reader.begin(Buffer.byteLength(chunk, 'latin1'));
    const rest = reader.push(Buffer.from(`${chunk}BDAT`, 'latin1'));
    assert.equal(rest.toString(), 'BDAT');
    assert.equal(reader.isWithin, false);
  }
  return reader.readToEnd;
}

const cases: [name: string, chunks: string[], expected: string | { fault: string }][] = [
  ['no chunk at all', [], ''],
  ['an empty last chunk', ['a\r\n', ''], 'a\r\n'],
  ['a dot line, which does not end the message', ['a\r\n.\r\n', '..b\r\n'], 'a\r\n.\r\n..b\r\n'],
  ['a CRLF split between two chunks', ['a\r', '\nb\r\n'], 'a\r\nb\r\n'],
  ['a last line without a line end', ['a'], 'a'],
  ['any octet except CR and LF', ['\0\x7f\xff\r\n'], '\0\x7f\xff\r\n'],
  ['a message at the size limit', ['x'.repeat(MAX)], 'x'.repeat(MAX)],
  ['a message one octet above the limit', ['x'.repeat(MAX), 'x'], { fault: 'too-large' }],
  ['a bare LF, which becomes CRLF', ['a\n.\r\n'], 'a\r\n.\r\n'],
  ['a bare LF at the start of a chunk', ['a', '\n'], 'a\r\n'],
  ['a bare LF after a CRLF split between two chunks', ['a\r', '\n\nb'], 'a\r\n\r\nb'],
  ['bare LFs that exceed the limit as CRLF', ['\n'.repeat(MAX / 2 + 1)], { fault: 'too-large' }],
  ['a bare CR', ['a\rb\r\n'], { fault: 'bare-line-end' }],
  ['a bare CR at the end of a chunk', ['a\r', 'b'], { fault: 'bare-line-end' }],
  ['a bare CR at the end of the message', ['a\r'], { fault: 'bare-line-end' }],
  ['CR CR LF', ['a\r\r\n'], { fault: 'bare-line-end' }],
];
describe('ChunkReader', () => {
  for (const [name, chunks, expected] of cases) {
    test(`ChunkReader ${typeof expected === 'string' ? 'accepts' : 'rejects'} ${name}`, () => {
      const expectedResult =
        typeof expected === 'string' ? { data: Buffer.from(expected, 'latin1') } : expected;
      assert.deepEqual(read(chunks), expectedResult);
    });
  }

  test('ChunkReader discards a message if no memory is available', () => {
    assert.deepEqual(read(['a\r\n', 'b\r\n'], 10), { fault: 'no-memory' });
  });

  test('ChunkReader returns the same message for any chunks, ends all lines with CRLF, and rejects every bare CR', () => {
    const piece = fc.constantFrom('\r\n', '\r', '\n', 'x', '.', '\0', '\r\n.\r\n');
    fc.assert(
      fc.property(fc.array(fc.array(piece, { maxLength: 5 }), { maxLength: 4 }), (lists) => {
        const chunks = lists.map((list) => list.join(''));
        const text = chunks.join('');
        const expected = Buffer.from(text.replaceAll(/\r?\n/g, '\r\n'));
        const isBroken = /\r(?!\n)/.test(text);
        assert.deepEqual(read(chunks), isBroken ? { fault: 'bare-line-end' } : { data: expected });
      }),
      { numRuns: runs(500) },
    );
  });
});
