import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { encodeBase64, encodedOctets } from './base64-lines.ts';
import { fileNode, type MimeNode, MimeWriter, safeType, textNode } from './mime-tree.ts';
import { WholeLines } from './whole-lines.ts';

async function* inPieces(octets: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < octets.length; at += size) yield octets.subarray(at, at + size);
}

async function collect(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

suite('a message with files', () => {
  test('a file is encoded as base64 in lines of at most 76 characters, however the input is split', () =>
    fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 2_000 }),
        fc.integer({ min: 1, max: 300 }),
        async (bytes, size) => {
          const octets = Buffer.from(bytes);
          const encoded = await collect(encodeBase64(inPieces(octets, size)));
          assert.equal(encoded.length, encodedOctets(octets.length));
          assert.ok(Buffer.from(encoded.toString('latin1'), 'base64').equals(octets));
          for (const line of encoded.toString('latin1').split('\r\n')) assert.ok(line.length <= 76);
        },
      ),
    ));

  test('a message with files can be parsed by another parser, and has the size computed in advance', async () => {
    const file = randomBytes(300_000);
    const names = ['report.pdf', 'Übersicht "2026" für Jörg; a*b.pdf', `${'長い名前'.repeat(40)}.txt`];
    const attach = (name: string, contentId: string | null = null): MimeNode =>
      fileNode({
        name,
        type: contentId === null ? 'application/pdf' : 'image/png',
        octets: file.length,
        contentId,
        pieces: () => inPieces(file, 65_536),
      });
    const writer = new MimeWriter('0198abcd');
    const root: MimeNode = {
      kind: 'multipart',
      subtype: 'mixed',
      parts: [
        {
          kind: 'multipart',
          subtype: 'alternative',
          parts: [
            textNode('plain', '--=_0198abcd\nGrüße'),
            {
              kind: 'multipart',
              subtype: 'related',
              parts: [textNode('html', '<p>Grüße<img src="cid:a@b.test">'), attach('a.png', '<a@b.test>')],
            },
          ],
        },
        ...names.map((name) => attach(name)),
      ],
    };
    const raw = await collect(writer.write(root));
    assert.equal(raw.length, writer.octetsOf(root));
    const mail = await PostalMime.parse(Buffer.concat([Buffer.from('MIME-Version: 1.0\r\n'), raw]));
    assert.equal(mail.text?.trim().replaceAll('\r', ''), '--=_0198abcd\nGrüße');
    assert.match(mail.html ?? '', /cid:a@b\.test/);
    assert.deepEqual(
      mail.attachments.map(({ filename, contentId }) => contentId ?? filename),
      ['<a@b.test>', ...names],
    );
    for (const { content } of mail.attachments) assert.ok(Buffer.from(content as ArrayBuffer).equals(file));
    for (const line of raw.toString('latin1').split('\r\n')) assert.ok(line.length <= 998);
  });

  test('a file type that would change the structure of the message is replaced', () => {
    assert.equal(safeType('Image/PNG'), 'image/png');
    for (const type of ['multipart/mixed', 'message/partial', 'a', 'text/html; charset=x', 'a/b\r\nX: y', ''])
      assert.equal(safeType(type), 'application/octet-stream');
  });

  test('a message can be embedded unencoded only if no line is too long and it has no NUL', () => {
    const isFit = (...pieces: string[]): boolean => {
      const lines = new WholeLines();
      for (const piece of pieces) lines.add(Buffer.from(piece, 'latin1'));
      return lines.isFit();
    };
    assert.ok(isFit('Subject: a\r\n', '\r\nbody'));
    assert.ok(!isFit('a\0b'));
    assert.ok(!isFit('x'.repeat(600), 'x'.repeat(600)));
    assert.ok(isFit('x'.repeat(600), '\n', 'x'.repeat(600)));
  });
});
