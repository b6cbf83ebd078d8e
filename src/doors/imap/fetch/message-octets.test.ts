import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { OpenBlob } from '../../../blobs/blobs.ts';
import type { Section } from '../../../rfc/imap/command.ts';
import { UnknownEncoding } from '../../../rfc/mime/index.ts';
import { type OctetSource, MessageOctets } from './message-octets.ts';
import { MessageParts } from './message-parts.ts';

const parts = new MessageParts();
after(() => parts[Symbol.asyncDispose]());

/** A blob that counts the octets read from the blob: the total, and the most in a single read. */
function blobOf(bytes: Buffer): OpenBlob & { octets: number; most: number } {
  return {
    size: bytes.length,
    octets: 0,
    most: 0,
    readNow: () => null,
    async read({ start, end } = { start: 0, end: bytes.length }) {
      const read = bytes.subarray(start, end);
      this.octets += read.length;
      this.most = Math.max(this.most, read.length);
      return read;
    },
  };
}

async function octetsOf(content: OctetSource | null): Promise<Buffer> {
  assert.ok(content !== null);
  const pieces: Buffer[] = [];
  for await (const piece of content.pieces) pieces.push(piece ?? assert.fail('gone'));
  const octets = Buffer.concat(pieces);
  assert.equal(octets.length, content.size);
  return octets;
}

const ATTACHED = Buffer.alloc(600_000, 'what is attached, \0 and others');
const ENCODED = ATTACHED.toString('base64').replace(/.{76}/g, '$&\r\n');
const HEAD = `Subject: large\r\nX-Long: ${'x'.repeat(100_000)}\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n`;
const BODY =
  `--b\r\n\r\ntext\r\n--b\r\nContent-Transfer-Encoding: base64\r\n\r\n${ENCODED}\r\n` +
  '--b\r\nContent-Transfer-Encoding: x-foo\r\n\r\n?\r\n--b--\r\n';
const LARGE = Buffer.from(HEAD + BODY);
const whole: Section = { part: [], text: null };

test('sections of large messages have the expected octets', async () => {
  const octets = () => new MessageOctets(blobOf(LARGE), 'large', parts);
  const section = async (of: Section) => String(await octetsOf(await octets().section(of, null)));
  assert.equal(await section(whole), HEAD + BODY);
  assert.equal(await section({ part: [], text: 'HEADER' }), HEAD);
  assert.equal(await section({ part: [], text: 'TEXT' }), BODY);
  assert.equal(
    await section({ part: [], text: { fields: ['subject'], not: false } }),
    'Subject: large\r\n\r\n',
  );
  assert.equal(await section({ part: [1], text: null }), 'text');
  assert.equal(await section({ part: [2], text: null }), ENCODED);
  assert.equal(await section({ part: [9], text: null }), '');
  assert.deepEqual(await octetsOf(await octets().decoded([2], null)), ATTACHED);
  assert.deepEqual(
    await octetsOf(await octets().decoded([2], [500_000, 200])),
    ATTACHED.subarray(500_000, 500_200),
  );
  assert.equal(String(await octetsOf(await octets().decoded([1], null))), 'text');
  await assert.rejects(octets().decoded([3], null), UnknownEncoding);
  await assert.rejects(octets().decoded([], null), UnknownEncoding);
});

test('a header of a megabyte is read piece by piece, for every kind of section', async () => {
  const fields = `X-A: 1\r\nX-B: ${'2'.repeat(90)}\r\n`.repeat(10_000);
  const blob = blobOf(Buffer.from(`Subject: s\r\n${fields}\r\nbody`));
  const octets = new MessageOctets(blob, 'header', parts);
  const section = async (text: Section['text'], partial: [number, number] | null = null) =>
    String(await octetsOf(await octets.section({ part: [], text }, partial)));
  assert.equal(await section({ fields: ['subject'], not: false }), 'Subject: s\r\n\r\n');
  assert.equal(
    await section({ fields: ['x-b', 'subject'], not: true }),
    `${'X-A: 1\r\n'.repeat(10_000)}\r\n`,
  );
  assert.equal(await section({ fields: ['x-a'], not: false }, [79_996, 100]), ' 1\r\n\r\n');
  assert.equal(await section('TEXT'), 'body');
  assert.ok(blob.most < 300_000, `${blob.most} octets at once`);
});

test('the header, the text and the whole of a message stored in a row are returned without a promise', () => {
  const head = 'Subject: small\r\nTo: b@dst.test\r\n\r\n';
  const raw = Buffer.from(`${head}text\r\n`);
  const inRow: OpenBlob = {
    size: raw.length,
    readNow: () => raw,
    read: () => assert.fail('unexpected read'),
  };
  const octets = new MessageOctets(inRow, 'small', parts);
  const now = (text: Section['text'], partial: [number, number] | null = null): string => {
    const content = octets.section({ part: [], text }, partial);
    if (content === null || content instanceof Promise || !Array.isArray(content.pieces))
      assert.fail('not available without a promise');
    assert.equal(Buffer.concat(content.pieces).length, content.size);
    return String(Buffer.concat(content.pieces));
  };
  assert.equal(now(null), String(raw));
  assert.equal(now(null, [5, 10]), raw.toString('latin1', 5, 15));
  assert.equal(now('HEADER'), head);
  assert.equal(now('HEADER', [1_000, 10]), '');
  assert.equal(now('TEXT'), 'text\r\n');
  assert.equal(now({ fields: ['TO'], not: false }), 'To: b@dst.test\r\n\r\n');
  assert.equal(now({ fields: ['to'], not: true }, [0, 7]), 'Subject');
});

test('a partial fetch reads only the requested octets, once the part structure is cached', async () => {
  await new MessageOctets(blobOf(LARGE), 'known', parts).section({ part: [1], text: null }, null);
  const blob = blobOf(LARGE);
  const octets = new MessageOctets(blob, 'known', parts);
  const range = await octets.section({ part: [2], text: null }, [100_000, 2_000]);
  assert.equal(String(await octetsOf(range)), ENCODED.slice(100_000, 102_000));
  assert.equal(String(await octetsOf(await octets.section(whole, [5, 10]))), LARGE.toString('latin1', 5, 15));
  assert.equal(blob.octets, 2_010);
});

test('a section of a message whose bytes are missing is null', async () => {
  const removed: OpenBlob = { size: 1_000_000, readNow: () => null, read: async () => null };
  const octets = new MessageOctets(removed, 'gone', parts);
  for (const text of ['HEADER', 'TEXT'] as const)
    assert.equal(await octets.section({ part: [], text }, null), null);
  assert.equal(await octets.section({ part: [1], text: null }, null), null);
  assert.equal(await octets.decoded([1], null), null);
  const pieces = (await octets.section(whole, null))?.pieces ?? [];
  for await (const piece of pieces) assert.equal(piece, null);
});
