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
  ['lines', 'a\r\nb c\r\n', [{ line: 'a' }, { line: 'b c' }]],
  ['an empty line', '\r\n', [{ line: '' }]],
  ['a line that has not ended', 'a\r\nb', [{ line: 'a' }]],
  ['a bare LF', 'a\nb\r\n', [{ fault: 'bare-line-end' }]],
  ['a bare LF at first', '\n', [{ fault: 'bare-line-end' }]],
  ['a bare CR', 'a\rb\r\n', [{ fault: 'bare-line-end' }]],
  ['two CR', 'a\r\r\n', [{ fault: 'bare-line-end' }]],
  ['the longest line', `${'x'.repeat(MAX - 2)}\r\n`, [{ line: 'x'.repeat(MAX - 2) }]],
  ['a line too long', `a\r\n${'x'.repeat(MAX - 1)}\r\n`, [{ line: 'a' }, { fault: 'too-long' }]],
  ['a line too long without an end', 'x'.repeat(MAX + 1), [{ fault: 'too-long' }]],
];
for (const [name, bytes, lines] of cases) {
  test(name, () => assert.deepEqual(readAll([Buffer.from(bytes)]), lines));
}

test('what is not UTF-8 is marked', () => {
  assert.deepEqual(readAll([Buffer.from('a\xff\r\n', 'latin1')]), [{ line: 'a\ufffd' }]);
});

test('what is not read is handed over once', () => {
  const reader = new LineReader(MAX);
  reader.push(Buffer.from('DATA\r\nbody'));
  assert.deepEqual(reader.next(), { line: 'DATA' });
  assert.equal(reader.hasMore, true);
  assert.equal(reader.takeRest().toString(), 'body');
  assert.equal(reader.hasMore, false);
  assert.equal(reader.next(), null);
});

test('the lines are the same however the bytes arrive', () => {
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
