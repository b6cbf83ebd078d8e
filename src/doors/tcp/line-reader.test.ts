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
  ['lines end at CRLF', 'a\r\nb c\r\n', [{ line: 'a' }, { line: 'b c' }]],
  ['an empty line is read', '\r\n', [{ line: '' }]],
  ['an incomplete line is not returned', 'a\r\nb', [{ line: 'a' }]],
  ['a bare LF is rejected', 'a\nb\r\n', [{ fault: 'bare-line-end' }]],
  ['a bare LF at the start is rejected', '\n', [{ fault: 'bare-line-end' }]],
  ['a bare CR is rejected', 'a\rb\r\n', [{ fault: 'bare-line-end' }]],
  ['two CR are rejected', 'a\r\r\n', [{ fault: 'bare-line-end' }]],
  ['a line of the maximum length is read', `${'x'.repeat(MAX - 2)}\r\n`, [{ line: 'x'.repeat(MAX - 2) }]],
  [
    'a line that is too long is rejected',
    `a\r\n${'x'.repeat(MAX - 1)}\r\n`,
    [{ line: 'a' }, { fault: 'too-long' }],
  ],
  ['a line that is too long is rejected before it ends', 'x'.repeat(MAX + 1), [{ fault: 'too-long' }]],
];
for (const [name, bytes, lines] of cases) {
  test(name, () => assert.deepEqual(readAll([Buffer.from(bytes)]), lines));
}

test('invalid UTF-8 is replaced with U+FFFD', () => {
  assert.deepEqual(readAll([Buffer.from('a\xff\r\n', 'latin1')]), [{ line: 'a\ufffd' }]);
});

test('takeRest returns the unread input and removes it', () => {
  const reader = new LineReader(MAX);
  reader.push(Buffer.from('DATA\r\nbody'));
  assert.deepEqual(reader.next(), { line: 'DATA' });
  assert.equal(reader.hasMore, true);
  assert.equal(reader.takeRest().toString(), 'body');
  assert.equal(reader.hasMore, false);
  assert.equal(reader.next(), null);
});

test('the same lines are read however the input is split into chunks', () => {
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
