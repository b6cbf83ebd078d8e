import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LineReader, type ReadLine } from './line-reader.ts';

const MAX = 20;

function readAll(chunks: readonly Buffer[]): ReadLine[] {
  const reader = new LineReader(MAX);
  const lines: ReadLine[] = [];
  for (const chunk of chunks) {
    reader.push(chunk);
    for (let line = reader.next(); line !== null; line = reader.next()) {
      lines.push(line);
      if ('fault' in line) return lines;
    }
  }
  return lines;
}

const cases: [name: string, bytes: string, lines: ReadLine[]][] = [
  ['reads lines', 'a\r\nb c\r\n', [{ line: 'a' }, { line: 'b c' }]],
  ['reads an empty line', '\r\n', [{ line: '' }]],
  ['does not return an incomplete line', 'a\r\nb', [{ line: 'a' }]],
  ['rejects a bare LF', 'a\nb\r\n', [{ fault: 'bare-line-end' }]],
  ['rejects a bare LF at the start', '\n', [{ fault: 'bare-line-end' }]],
  ['rejects a bare CR', 'a\rb\r\n', [{ fault: 'bare-line-end' }]],
  ['rejects two CR', 'a\r\r\n', [{ fault: 'bare-line-end' }]],
  ['reads a line of the maximum length', `${'x'.repeat(MAX - 2)}\r\n`, [{ line: 'x'.repeat(MAX - 2) }]],
  [
    'rejects a line that is too long',
    `a\r\n${'x'.repeat(MAX - 1)}\r\n`,
    [{ line: 'a' }, { fault: 'too-long' }],
  ],
  ['rejects a line that is too long before it ends', 'x'.repeat(MAX + 1), [{ fault: 'too-long' }]],
];
for (const [name, bytes, lines] of cases) {
  test(name, () => assert.deepEqual(readAll([Buffer.from(bytes)]), lines));
}

test('replaces invalid UTF-8 with U+FFFD', () => {
  assert.deepEqual(readAll([Buffer.from('a\xff\r\n', 'latin1')]), [{ line: 'a\ufffd' }]);
});

test('takeRest returns unread input once', () => {
  const reader = new LineReader(MAX);
  reader.push(Buffer.from('DATA\r\nbody'));
  assert.deepEqual(reader.next(), { line: 'DATA' });
  assert.equal(reader.hasMore, true);
  assert.equal(reader.takeRest().toString(), 'body');
  assert.equal(reader.hasMore, false);
  assert.equal(reader.next(), null);
});

test('reads the same lines however the input is split', () => {
  const bytes = fc
    .array(fc.constantFrom('\r\n', '\r\n', 'abc', 'é', '\r', '\n', 'x'.repeat(12)), { maxLength: 20 })
    .map((parts) => Buffer.from(parts.join('')));
  fc.assert(
    fc.property(bytes, fc.array(fc.nat(30), { maxLength: 10 }), (all, sizes) => {
      const chunks: Buffer[] = [];
      let at = 0;
      for (const size of sizes) {
        chunks.push(all.subarray(at, at + size));
        at += size;
      }
      chunks.push(all.subarray(at));
      assert.deepEqual(readAll(chunks), readAll([all]));
    }),
  );
});
