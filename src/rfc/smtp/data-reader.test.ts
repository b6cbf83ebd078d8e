import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.ts';
import { DataReader, type DataEnd } from './data-reader.ts';
import { dotStuff, endOfData } from './dot-stuffing.ts';

const MAX = 100;

function read(chunks: readonly Buffer[], max = MAX, room = Number.POSITIVE_INFINITY): DataEnd | null {
  let left = room;
  const reader = new DataReader(max, (octets) => {
    if (octets > left) return false;
    left -= octets;
    return true;
  });
  for (const [at, chunk] of chunks.entries()) {
    const end = reader.push(chunk);
    if (end === null) continue;
    if ('fault' in end.read && end.read.fault === 'bare-line-end') return end;
    return { read: end.read, rest: Buffer.concat([end.rest, ...chunks.slice(at + 1)]) };
  }
  return null;
}

const ended = (data: string, rest = ''): DataEnd => ({
  read: { data: Buffer.from(data) },
  rest: Buffer.from(rest),
});
const broken: DataEnd = { read: { fault: 'bare-line-end' }, rest: Buffer.alloc(0) };

const cases: [name: string, bytes: string, end: DataEnd | null][] = [
  ['reads an empty message', '.\r\n', ended('')],
  ['reads a message', 'a\r\nb\r\n.\r\n', ended('a\r\nb\r\n')],
  ['returns the octets after the end', 'a\r\n.\r\nMAIL', ended('a\r\n', 'MAIL')],
  ['removes a doubled dot', '..\r\n...a\r\n.\r\n', ended('.\r\n..a\r\n')],
  ['drops a single dot before text', '.a\r\n.\r\n', ended('a\r\n')],
  ['keeps dots inside a line', 'a.b.\r\n.\r\n', ended('a.b.\r\n')],
  ['accepts any octet except CR and LF', '\0\x7f\r\n.\r\n', ended('\0\x7f\r\n')],
  ['waits for the rest of the end', 'a\r\n.', null],
  ['waits for the final LF', 'a\r\n.\r', null],
  ['ignores a dot at the end of a text line', 'a.\r\n', null],
  ['converts a bare LF to CRLF', 'a\nb\n\nc\r\n.\r\n', ended('a\r\nb\r\n\r\nc\r\n')],
  ['removes a doubled dot after a bare LF', 'a\n..\n..b\r\n.\r\n', ended('a\r\n.\r\n.b\r\n')],
  ['drops a dot before text after a bare LF', 'a\n.b\r\n.\r\n', ended('a\r\nb\r\n')],
];
describe('DataReader', () => {
  for (const [name, bytes, end] of cases) {
    test(`DataReader ${name}`, () => assert.deepEqual(read([Buffer.from(bytes)]), end));
  }
});

const octetByOctet = (bytes: Buffer): Buffer[] => Array.from(bytes, (octet) => Buffer.of(octet));

const LINE_ENDS = ['\r\n', '\n', '\r'];
describe('a lone dot ends the data only between CRLF and CRLF', () => {
  for (const before of LINE_ENDS)
    for (const behind of LINE_ENDS)
      test(`DataReader ${before + behind === '\r\n\r\n' ? 'ends the data' : 'reports a fault'} at ${JSON.stringify(`${before}.${behind}`)}`, () => {
        const all = Buffer.from(`a${before}.${behind}MAIL FROM:<>\r\n`);
        const expected = before + behind === '\r\n\r\n' ? ended('a\r\n', 'MAIL FROM:<>\r\n') : broken;
        assert.deepEqual(read([all]), expected);
        assert.deepEqual(read(octetByOctet(all)), expected);
      });
});

const smuggled = [
  'a\r.\r',
  'a\r\n.\rMAIL',
  '\n.\r\n',
  '.\n',
  '\r.\r\n',
  'a\r\r\n.\r\n',
  'a\r\n.\r\r\n',
  '.\r.\r\n',
  'a\n\r\n\n.\r\n',
  'a\rb\r\n.\r\n',
];
describe('SMTP smuggling is rejected and does not end the data', () => {
  for (const bytes of smuggled) {
    test(`DataReader rejects ${JSON.stringify(bytes)}`, () => {
      const all = Buffer.from(`${bytes}MAIL FROM:<>\r\n`);
      assert.deepEqual(read([all]), broken);
      assert.deepEqual(read(octetByOctet(all)), broken);
    });
  }
});

test('DataReader accepts a message at the size limit, and discards a message with one octet more', () => {
  const data = `${'x'.repeat(MAX - 2)}\r\n`;
  assert.deepEqual(read([Buffer.from(`${data}.\r\n`)]), ended(data));
  assert.deepEqual(read([Buffer.from(`x${data}.\r\nQUIT`)]), {
    read: { fault: 'too-large' },
    rest: Buffer.from('QUIT'),
  });
});

test('DataReader discards a message if no memory is available', () => {
  const data = Buffer.from(`${'x'.repeat(50_000)}\r\n.\r\nQUIT`);
  const chunks = [data.subarray(0, 10_000), data.subarray(10_000)];
  assert.deepEqual(read(chunks, 100_000, 20_000), {
    read: { fault: 'no-memory' },
    rest: Buffer.from('QUIT'),
  });
});

test('the memory of DataReader grows with the size of the message, and not with the number of chunks', () => {
  let reserved = 0;
  const reader = new DataReader(10_000_000, (octets) => {
    reserved += octets;
    return true;
  });
  for (let at = 0; at < 100_000; at++) reader.push(Buffer.of(0x61));
  assert.ok(reserved <= 262_144, String(reserved));
});

const parts = fc.array(fc.constantFrom('.', '..', '\r\n', '\r\n', '\r', '\n', 'a', '\0', 'é', 'xyz'), {
  maxLength: 40,
});

test('DataReader returns the same message for the same bytes in any chunks', () => {
  fc.assert(
    fc.property(
      parts,
      fc.array(fc.nat(8), { maxLength: 20 }),
      fc.constantFrom(5, MAX),
      (texts, sizes, max) => {
        const all = Buffer.from(`${texts.join('')}\r\n.\r\nrest`);
        const chunks: Buffer[] = [];
        let at = 0;
        for (const size of sizes) {
          chunks.push(all.subarray(at, at + size));
          at += size;
        }
        chunks.push(all.subarray(at));
        assert.deepEqual(read(chunks, max), read([all], max));
      },
    ),
    { numRuns: runs(1_000) },
  );
});

test('DataReader returns the original of a dot-stuffed message', () => {
  const lines = fc.array(fc.constantFrom('.', '..', '', 'a', '.a', 'a.', 'é'), { maxLength: 15 });
  fc.assert(
    fc.property(lines, (texts) => {
      const data = Buffer.from(texts.map((text) => `${text}\r\n`).join(''));
      const end = read([Buffer.concat([dotStuff(data), Buffer.from(endOfData(data))])], 1_000);
      assert.deepEqual(end, { read: { data }, rest: Buffer.alloc(0) });
    }),
  );
});

test('an accepted message has only CRLF line ends, and is the same message for the most tolerant server', () => {
  fc.assert(
    fc.property(parts, (texts) => {
      const wire = `${texts.join('')}\r\n.\r\n`;
      const end = read([Buffer.from(wire)], 1_000);
      if (end === null || 'fault' in end.read) return;
      const data = end.read.data.toString();
      assert.match(data, /^(?:[^\r\n]*\r\n)*$/);
      // The most tolerant server ends a line at each CR, LF and CRLF, and the data at any lone dot.
      const lines = wire.split(/\r\n|\r|\n/);
      const before = lines.slice(0, lines.indexOf('.'));
      assert.equal(data, before.map((line) => `${line.replace(/^\./, '')}\r\n`).join(''));
    }),
    { numRuns: runs(1_000) },
  );
});

test('a bare LF counts as two octets towards the memory and size limits', () => {
  const data = Buffer.from(`${'\n'.repeat(60_000)}\r\n.\r\n`);
  const end = read([data], 200_000);
  assert.deepEqual(end?.read, { data: Buffer.from('\r\n'.repeat(60_001)) });
  assert.deepEqual(read([data], 100_000)?.read, { fault: 'too-large' });
});
