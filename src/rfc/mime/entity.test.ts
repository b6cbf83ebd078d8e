import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { processorClock } from '../../../test/support/processor-time.ts';
import PostalMime from 'postal-mime';
import { runs } from '../../../test/support/property-runs.ts';
import { decodeText, type Entity, readEntity } from './index.ts';

const NESTED = `Content-Type: multipart/mixed; boundary=outer\r
\r
preamble\r
--outer\r
Content-Type: multipart/alternative; boundary="in ner"\r
\r
--in ner\r
\r
plain\r
--in ner\r
Content-Type: text/html\r
\r
<p>html</p>\r
--in ner--\r
--outer  \r
Content-Type: message/rfc822\r
\r
Subject: inside\r
\r
inner body\r
--outer--\r
epilogue\r
`;

function shape(raw: Buffer, entity: Entity): unknown {
  if (entity.parts.length > 0) return [entity.type, ...entity.parts.map((part) => shape(raw, part))];
  return [entity.type, raw.toString('latin1', entity.bodyStart, entity.end)];
}

function shapeOf(text: string): unknown {
  const raw = Buffer.from(text, 'latin1');
  return shape(raw, readEntity(raw));
}

function* all(entity: Entity): Generator<Entity> {
  yield entity;
  for (const part of entity.parts) yield* all(part);
}

describe('readEntity', () => {
  it('readEntity returns the parts of a message and their positions', () => {
    assert.deepEqual(shapeOf(NESTED), [
      'multipart/mixed',
      ['multipart/alternative', ['text/plain', 'plain'], ['text/html', '<p>html</p>']],
      ['message/rfc822', 'Subject: inside\r\n\r\ninner body'],
    ]);
  });

  it('readEntity reads the same parts with bare line feeds', () => {
    const withoutCr = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll('\\r', ''));
    assert.deepEqual(shapeOf(NESTED.replaceAll('\r', '')), withoutCr(shapeOf(NESTED)));
  });

  it('readEntity defaults to text/plain, and to message/rfc822 in a digest', () => {
    assert.deepEqual(shapeOf('Subject: x\n\nbody'), ['text/plain', 'body']);
    assert.deepEqual(shapeOf('Content-Type: nonsense\n\nbody'), ['text/plain', 'body']);
    assert.deepEqual(shapeOf('Content-Type: multipart/digest; boundary=b\n\n--b\n\nSubject: x\n--b--\n'), [
      'multipart/digest',
      ['message/rfc822', 'Subject: x'],
    ]);
  });

  it('readEntity ends a part without a closing delimiter at the end of its parent', () => {
    assert.deepEqual(shapeOf('Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--b\n\ntwo'), [
      'multipart/mixed',
      ['text/plain', 'one'],
      ['text/plain', 'two'],
    ]);
  });

  it('readEntity recognizes only whole lines as delimiters', () => {
    assert.deepEqual(shapeOf('Content-Type: multipart/mixed; boundary=b\n\n--b\n\n x--b\n--bb\n--b--\n'), [
      'multipart/mixed',
      ['text/plain', ' x--b\n--bb'],
    ]);
  });

  it('readEntity treats a multipart without a boundary as a leaf', () => {
    assert.deepEqual(shapeOf('Content-Type: multipart/mixed\n\nbody'), ['multipart/mixed', 'body']);
    assert.deepEqual(shapeOf('Content-Type: multipart/mixed; boundary=b\n\nbody'), [
      'multipart/mixed',
      'body',
    ]);
  });

  it('readEntity stops at the limits, and sets truncated', () => {
    const many = readEntity(
      Buffer.from(`Content-Type: multipart/mixed; boundary=b\n\n${'--b\n\nx\n'.repeat(1_000)}`),
    );
    assert.equal(many.parts.length, 250);
    assert.equal(many.truncated, true);
    let deep = 'x';
    for (let level = 0; level < 100; level++) {
      deep = `Content-Type: multipart/mixed; boundary=b${level}\n\n--b${level}\n${deep}\n--b${level}--\n`;
    }
    const entities = [...all(readEntity(Buffer.from(deep)))];
    assert.equal(entities.length, 11);
    assert.equal(entities.at(-1)?.truncated, true);
  });

  it('readEntity returns the same texts as another MIME parser', async () => {
    const raw = Buffer.from(NESTED);
    const texts = [...all(readEntity(raw))].filter((entity) => entity.type === 'text/html');
    const other = await PostalMime.parse(raw, { rfc822Attachments: true });
    assert.equal(texts.map((entity) => decodeText(raw, entity, 1_000)).join(''), other.html?.trim());
    assert.equal(other.attachments.length, 1);
  });

  it('readEntity never throws for any octets, and keeps each part within its parent', () => {
    const pieces = fc.constantFrom(
      ...'--b|--b--|\n|\r\n|Content-Type: multipart/mixed; boundary=b|Content-Type: multipart/x; boundary="b|x|\t| '.split(
        '|',
      ),
      'Content-Type: message/rfc822\n\n',
      '\xff',
    );
    const noise = fc.uint8Array({ maxLength: 200 }).map((octets) => Buffer.from(octets).toString('latin1'));
    const made = fc.array(pieces, { maxLength: 60 }).map((words) => words.join(''));
    fc.assert(
      fc.property(fc.oneof(made, noise), (text) => {
        const raw = Buffer.from(text, 'latin1');
        for (const entity of all(readEntity(raw))) {
          assert.ok(
            entity.start <= entity.bodyStart && entity.bodyStart <= entity.end && entity.end <= raw.length,
          );
          for (const part of entity.parts)
            assert.ok(part.start >= entity.bodyStart && part.end <= entity.end);
        }
      }),
      { numRuns: runs(2_000) },
    );
  });

  const undeclared: [what: string, message: string, fields: Record<string, string>][] = [
    [
      'the charset of the body',
      'Subject: \xd6\xd0 a\nFrom: \xd6\xd0 <a@b.test>\nContent-Type: text/plain; charset=gb2312\n\nx',
      { subject: '中 a', from: '中 <a@b.test>' },
    ],
    [
      'the charset of the first part that names one',
      'Subject: \xc7\xd1\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\na\n--b\nContent-Type: text/plain; charset=euc-kr\n\nx\n--b--',
      { subject: '한' },
    ],
    [
      'the charset of the first part in whose charset a header can be written',
      'Subject: \xc7\xd1\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset=unicode\n\na\n--b\nContent-Type: text/plain; charset=euc-kr\n\nx\n--b--',
      { subject: '한' },
    ],
    ['ISO-2022-JP', 'Subject: \x1b$B%a!<%k\x1b(B\n\nx', { subject: 'メール' }],
    [
      'windows-1252 if a field is not in the charset of the body',
      'Subject: \xfc\nX-A: \xc3\xbc\nContent-Type: text/plain; charset=utf-8\n\nx',
      { subject: 'ü', 'x-a': 'ü' },
    ],
    [
      'windows-1252 if the charset of the body would hide the "@" of an address',
      'Subject: \x81@\nFrom: \x81@evil.test <ceo@bank.test>, \x1b$B@b\x1b(B\nContent-Type: text/plain; charset=gbk\n\nx',
      { subject: '丂', from: '\x81@evil.test <ceo@bank.test>, \x1b$B@b\x1b(B' },
    ],
    [
      'windows-1252 if the charset of the body would hide the "<" of an address',
      'From: \x1b$B\xfc <ceo@bank.test>\x1b(B <a@evil.test>\nContent-Type: text/plain; charset=iso-2022-jp\n\nx',
      { from: '\x1b$Bü <ceo@bank.test>\x1b(B <a@evil.test>' },
    ],
  ];
  for (const [what, message, fields] of undeclared)
    it(`readEntity reads undeclared characters in a header as ${what}`, () => {
      const found = readEntity(Buffer.from(message, 'latin1')).fields;
      for (const [name, value] of Object.entries(fields))
        assert.equal(found.find((field) => field.name === name)?.value, value);
    });

  it('readEntity takes bounded time for hostile structures', () => {
    const head = 'Content-Type: multipart/mixed; boundary=b\n\n';
    const megabytes = 4_000_000;
    const nested = 'Content-Type: multipart/mixed; boundary=b\n\n--b\n';
    for (const body of ['--b', '\n--b', '\n--bx', '\n--b \t', '--b\n', '-', '\n', nested]) {
      const raw = Buffer.from(head + body.repeat(Math.ceil(megabytes / body.length)));
      const usedMs = processorClock();
      readEntity(raw);
      assert.ok(usedMs() < 2_000, JSON.stringify(body));
    }
  });

  it('readEntity reads all levels of a small message, and scans a large message only a few times', () => {
    const limits = {
      depth: 32,
      parts: 1_000,
      header: { octets: 262_144, value: 16_384 },
      insideMessages: false,
    };
    const nested = Array.from(
      { length: 32 },
      (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\n\n--b${at}\n`,
    ).join('');
    const levels = (entity: Entity): number =>
      entity.parts[0] === undefined ? 0 : 1 + levels(entity.parts[0]);
    assert.equal(levels(readEntity(Buffer.from(nested), limits)), 32);
    const usedMs = processorClock();
    const large = readEntity(Buffer.from(nested + '--b\n'.repeat(2_000_000)), limits);
    assert.ok(usedMs() < 2_500, `${usedMs()} ms`);
    assert.equal(levels(large), 4);
  });
});
