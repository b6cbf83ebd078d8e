import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { cutZip, distinctNames, layoutZip, type ZipLayout, type ZipPiece } from './stored-zip.ts';

const AT = new Date('2026-11-23T21:30:42Z');
const GIB = 1024 ** 3;

function zipOf(files: readonly { name: string; content: Buffer }[]): ZipLayout {
  return layoutZip(
    files.map(({ name, content }) => ({ name, octets: content.length, crc32: crc32(content), at: AT })),
  );
}

function bytesOf(pieces: readonly ZipPiece[], files: readonly { content: Buffer }[]): Buffer {
  return Buffer.concat(
    pieces.map((piece) =>
      'bytes' in piece
        ? piece.bytes
        : (files[piece.entry]?.content.subarray(piece.start, piece.end) ?? Buffer.alloc(0)),
    ),
  );
}

/** Reads an archive as most programs do, starting from the directory at its end. */
function readZip(bytes: Buffer): { name: string; content: Buffer }[] {
  const end = bytes.subarray(-22);
  assert.equal(end.toString('latin1', 0, 4), 'PK\x05\x06');
  let at = end.readUInt32LE(16);
  assert.equal(at + end.readUInt32LE(12), bytes.length - 22);
  return Array.from({ length: end.readUInt16LE(10) }, () => {
    const nameEnd = at + 46 + bytes.readUInt16LE(at + 28);
    const name = bytes.toString('utf8', at + 46, nameEnd);
    const local = bytes.readUInt32LE(at + 42);
    assert.equal(bytes.toString('latin1', local, local + 4), 'PK\x03\x04');
    assert.deepEqual(bytes.subarray(local + 6, local + 28), bytes.subarray(at + 8, at + 30));
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const content = bytes.subarray(start, start + bytes.readUInt32LE(at + 24));
    assert.equal(crc32(content), bytes.readUInt32LE(at + 16));
    at = nameEnd + bytes.readUInt16LE(at + 30);
    return { name, content };
  });
}

const FILES = fc.uniqueArray(
  fc.record({
    name: fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }).filter((name) => !name.includes('\0')),
    content: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  }),
  { selector: ({ name }) => name, maxLength: 8 },
);

describe('stored zip archives', () => {
  test('a stored zip archive contains the given files, and has the announced length', () => {
    fc.assert(
      fc.property(FILES, (files) => {
        const layout = zipOf(files);
        const bytes = bytesOf(layout.pieces, files);
        assert.equal(bytes.length, layout.octets);
        assert.deepEqual(
          readZip(bytes),
          files.map(({ name, content }) => ({ name, content })),
        );
      }),
    );
  });

  test('every range of a stored zip archive has the octets of the whole archive', () => {
    fc.assert(
      fc.property(FILES, fc.nat(), fc.nat(), (files, a, b) => {
        const layout = zipOf(files);
        const [start = 0, end = 0] = [a % (layout.octets + 1), b % (layout.octets + 1)].sort((x, y) => x - y);
        const whole = bytesOf(layout.pieces, files);
        assert.deepEqual(bytesOf(cutZip(layout, start, end), files), whole.subarray(start, end));
      }),
    );
  });

  test('a stored zip archive passes the check of an independent program', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'zip-'));
    try {
      const files = [
        { name: 'naïve 日本.txt', content: Buffer.from('first') },
        { name: 'empty', content: Buffer.alloc(0) },
      ];
      writeFileSync(join(folder, 'a.zip'), bytesOf(zipOf(files).pieces, files));
      const read =
        'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print("|".join(f"{i.filename}:{i.date_time}" for i in z.infolist()))';
      let out: string;
      try {
        out = execFileSync('python3', ['-c', read, join(folder, 'a.zip')], { encoding: 'utf8' });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return t.skip('Python is not installed');
        throw error;
      }
      assert.equal(out.trim(), 'naïve 日本.txt:(2026, 11, 23, 21, 30, 42)|empty:(2026, 11, 23, 21, 30, 42)');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('a stored zip archive has 64-bit sizes and offsets above 4 GiB', () => {
    const entry = { crc32: 7, at: AT };
    const layout = layoutZip([
      { ...entry, name: 'a', octets: 5 * GIB },
      { ...entry, name: 'b', octets: 1 },
    ]);
    const [first, , second, , last] = layout.pieces.map((piece) =>
      'bytes' in piece ? piece.bytes : Buffer.alloc(0),
    );
    assert.ok(first !== undefined && second !== undefined && last !== undefined);
    assert.equal(first.readUInt32LE(18), 0xff_ff_ff_ff);
    assert.equal(first.readBigUInt64LE(31 + 4), BigInt(5 * GIB));
    assert.equal(second.readUInt32LE(18), 1);
    const directoryAt = first.length + 5 * GIB + second.length + 1;
    const b = last.indexOf(Buffer.from([0x50, 0x4b, 1, 2]), 4);
    assert.equal(last.readUInt32LE(b + 42), 0xff_ff_ff_ff);
    assert.equal(last.readBigUInt64LE(b + 46 + 1 + 4), BigInt(first.length + 5 * GIB));
    const end = last.subarray(-22);
    assert.equal(end.readUInt32LE(16), 0xff_ff_ff_ff);
    const end64 = last.subarray(-22 - 20 - 56);
    assert.equal(end64.readBigUInt64LE(48), BigInt(directoryAt));
    assert.equal(last.subarray(-22 - 20).readBigUInt64LE(8), BigInt(layout.octets - 22 - 20 - 56));
  });

  for (const octets of [2 ** 32 - 2, 2 ** 32 - 1, 2 ** 32])
    test(`a stored zip archive with a file of ${octets} bytes has 64-bit fields only if required`, () => {
      const [header] = layoutZip([{ name: 'a', octets, crc32: 0, at: AT }]).pieces;
      assert.ok(header !== undefined && 'bytes' in header);
      assert.equal(header.bytes.length, octets >= 2 ** 32 - 1 ? 31 + 20 : 31);
    });

  test('distinctNames makes names that are distinct on any file system', () => {
    assert.deepEqual(
      distinctNames(['a.txt', 'A.TXT', 'a (2).txt', 'e\u0301', '\u00e9', 'x.tar.gz', 'x.tar.gz', '.a', '.a']),
      [
        'a.txt',
        'A (2).TXT',
        'a (2) (2).txt',
        'e\u0301',
        '\u00e9 (2)',
        'x.tar.gz',
        'x.tar (2).gz',
        '.a',
        '.a (2)',
      ],
    );
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'A', 'a (2)', 'a (3)', 'a.b', 'A.b')), (names) => {
        const distinct = distinctNames(names);
        assert.equal(new Set(distinct.map((name) => name.toLowerCase())).size, names.length);
      }),
    );
  });
});
