import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.ts';
import { readEntity } from '../mime/index.ts';
import { bodyStructureText } from './body-structure.ts';
import { envelopeText, inReplyToOf } from './envelope.ts';
import { ImapWriter } from './imap-writer.ts';
import { envelopeFor, structureFor } from './structure-text.ts';

const LIMITS = { depth: 6, parts: 20, header: { octets: 262_144, value: 16_384 }, insideMessages: true };

function structureOf(text: string): string {
  const raw = Buffer.from(text.replaceAll('\n', '\r\n'));
  return bodyStructureText(raw, readEntity(raw, LIMITS), new ImapWriter(100_000));
}

const MIXED = `Content-Type: multipart/mixed; boundary=o

--o
Content-Type: text/plain
Content-Language: de, en

a
--o
Content-Type: application/pdf; name="(\\"\\\\"
Content-Disposition: attachment; filename*=utf-8''%C3%BC%27.pdf

b
--o
Content-Type: message/rfc822

Subject: star*
From: "n*" <x*@y.test>

c
--o--
`;

describe('BODYSTRUCTURE', () => {
  test('BODYSTRUCTURE has the registered name of a transfer encoding that is written differently', () =>
    assert.match(structureOf('Content-Transfer-Encoding: 7 bit\n\na'), / NIL NIL "7bit" 1 /));

  test('BODYSTRUCTURE announces the octets of a multipart that is too deep to be read', () => {
    let deep = 'end\n';
    for (let level = 9; level > 0; level--)
      deep = `Content-Type: multipart/mixed; boundary=b${level}\n\n--b${level}\n${deep}\n--b${level}--\n`;
    const structure = structureOf(deep);
    assert.match(structure, /^\({7}"application" "octet-stream" NIL NIL NIL "7bit" [1-9]\d* /);
    assert.equal(structure.match(/ "mixed" /g)?.length, 6);
  });

  test('BODYSTRUCTURE announces an empty part in a multipart without parts', () =>
    assert.match(
      structureOf('Content-Type: multipart/mixed; boundary=b\n\nnone'),
      /^\(\("text" "plain" .* 0 0 /,
    ));
});

describe('BODY', () => {
  test('BODY is BODYSTRUCTURE without extension data', () =>
    assert.equal(
      structureFor(structureOf(MIXED), { hasExtension: false, isUtf8: true }),
      '(("text" "plain" ("charset" "us-ascii") NIL NIL "7bit" 1 0)' +
        '("application" "pdf" ("name" "(\\"\\\\") NIL NIL "7bit" 1)' +
        '("message" "rfc822" NIL NIL NIL "7bit" 43 (NIL "star*" (("n*" NIL "x*" "y.test")) (("n*" NIL "x*" "y.test"))' +
        ' (("n*" NIL "x*" "y.test")) NIL NIL NIL NIL NIL) ("text" "plain" ("charset" "us-ascii") NIL NIL "7bit" 1 0) 3)' +
        ' "mixed")',
    ));
});

describe('BODYSTRUCTURE and ENVELOPE for clients of RFC 3501', () => {
  const old = { hasExtension: true, isUtf8: false };

  test('BODYSTRUCTURE for RFC 3501 encodes a parameter with a charset, but no text that resembles such a parameter', () => {
    const text = structureFor(structureOf(MIXED), old);
    assert.ok(text.includes(`("attachment" ("filename*" "UTF-8''%C3%BC%27.pdf"))`), text);
    assert.ok(text.includes('("n*" NIL "x*" "y.test")'), text);
    assert.ok(text.includes('("de" "en")'), text);
  });

  test('BODYSTRUCTURE and ENVELOPE for RFC 3501 have non-ASCII strings as literals', () => {
    assert.equal(
      envelopeFor('(NIL "gr\\"üße" (("ü" NIL "a" "b")) "c")', false),
      '(NIL {8}\r\ngr"üße (({2}\r\nü NIL "a" "b")) "c")',
    );
    assert.equal(
      structureFor(structureOf('Content-Description: ü\n\nx\n'), old),
      '("text" "plain" ("charset" "us-ascii") NIL {2}\r\nü "7bit" 3 1 NIL NIL NIL NIL)',
    );
  });

  test('BODYSTRUCTURE for RFC 3501 has no envelope of message/global', () =>
    assert.equal(
      structureFor(structureOf('Content-Type: message/global\n\nSubject: x\n\nbody\n'), old),
      '("message" "global" NIL NIL NIL "7bit" 20 NIL NIL NIL NIL)',
    ));
});

test('BODY is a prefix of any BODYSTRUCTURE, and the form of RFC 3501 differs only for non-ASCII values', () => {
  const pieces = [
    ...'--b\n|--b--\n|\n|\n\n|Content-Type: multipart/mixed; boundary=b\n|Content-Type: message/rfc822\n|Content-Type: a/b; x="(\\"*"; y*=utf-8\'\'%22\n'.split(
      '|',
    ),
    ...'Content-Disposition: a; filename*=x\n|Content-Language: de, "en*"\n|Subject: "*")(\n|From: "*" <ü@x>\n|Content-ID: ")\n|text'.split(
      '|',
    ),
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), (text) => {
      const structure = structureOf(text.join(''));
      const body = structureFor(structure, { hasExtension: false, isUtf8: true });
      assert.equal(structureFor(structure, { hasExtension: true, isUtf8: true }), structure);
      assert.equal(structureFor(`${body.slice(0, -1)} NIL)`, { hasExtension: false, isUtf8: true }), body);
      const old = structureFor(structure, { hasExtension: true, isUtf8: false });
      // All text outside literals is ASCII.
      assert.doesNotMatch(old.replace(/\{\d+\}\r\n\W?ü/g, ''), /[^\x00-\x7f]/);
      if (!/[^\x00-\x7f]|\*"/.test(structure)) assert.equal(old, structure);
    }),
    { numRuns: runs(1_000) },
  );
});

test('In-Reply-To is read from the last characters of any envelope that contain it, and is never another text', () => {
  const piece = fc.constantFrom(...' "|" |\\|"|NIL| NIL|(|)|<a@b>| '.split('|'));
  const value = fc.option(fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')));
  fc.assert(
    fc.property(value, value, value, fc.nat(60), (subject, inReplyTo, messageId, cut) => {
      const fields = Object.entries({ subject, 'in-reply-to': inReplyTo, 'message-id': messageId }).flatMap(
        ([name, text]) => (text === null ? [] : [{ name, value: text }]),
      );
      const envelope = envelopeText(fields, new ImapWriter(100_000));
      assert.equal(inReplyToOf(envelope), inReplyTo);
      const read = inReplyToOf(envelope.slice(cut));
      assert.ok(read === inReplyTo || read === null, `${envelope.slice(cut)} was read as ${read}`);
    }),
    { numRuns: runs(1_000), examples: [['', ' ', null, 33]] },
  );
});
