import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { processorClock } from '../../../test/support/processor-time.ts';
import { decodeCharset, decodeEncodedWords, decodeText, readEntity } from './index.ts';
import { decodeQuotedPrintable, encodeQuotedPrintable } from './quoted-printable.ts';

function textOf(header: string, body: Buffer | string, maxOctets = 10_000): string {
  const raw = Buffer.concat([Buffer.from(`${header}\r\n\r\n`), Buffer.from(body as string, 'latin1')]);
  return decodeText(raw, readEntity(raw), maxOctets);
}

describe('decodeText', () => {
  const encodings: [header: string, body: string, text: string][] = [
    ['Content-Transfer-Encoding: quoted-printable', 'a=20b=\r\nc =C3=BC=\n=3D =zz =', 'a bc ü= =zz '],
    ['Content-Transfer-Encoding: quoted-printable', 'soft=  \r\nbreak', 'softbreak'],
    ['Content-Transfer-Encoding: quoted-printable', 'a \t\r\n \nb c=20 \r\nd ', 'a\n\nb c \nd'],
    ['Content-Transfer-Encoding: BASE64', 'w7xi\r\nZXI=\r\n', 'über'],
    ['Content-Transfer-Encoding: base64', '!!w7xi*ZXI', 'über'],
    ['Content-Transfer-Encoding: 8bit', 'a\r\nb\rc\n', 'a\nb\nc\n'],
    ['Content-Transfer-Encoding: x-unknown', 'a=20', 'a=20'],
  ];
  for (const [header, body, text] of encodings) {
    it(`decodeText decodes ${header.slice(27)}: ${JSON.stringify(body)}`, () => {
      assert.equal(textOf(header, body), text);
    });
  }

  const charsets: [charset: string, octets: string, text: string][] = [
    ['iso-8859-1', '\xfc', 'ü'],
    ['us-ascii', '\xfc', 'ü'],
    ['utf-8', '\xc3\xbc', 'ü'],
    ['', '\xc3\xbc', 'ü'],
    ['iso-2022-jp', '\x1b$B%a!<%k\x1b(B', 'メール'],
    ['', '\x1b$B%a!<%k\x1b(B', 'メール'],
    ['shift_jis', '\x83\x81\x81[\x83\x8b', 'メール'],
    ['euc-jp', '\xa5\xe1\xa1\xbc\xa5\xeb', 'メール'],
    ['gb2312', '\xd3\xca\xcf\xe4', '邮箱'],
    ['koi8-r', '\xf0\xcf\xde\xd4\xc1', 'Почта'],
    ['cp1252', '\x80', '€'],
    ['no-such-charset', '\xfc', 'ü'],
  ];
  for (const [charset, octets, text] of charsets) {
    it(`decodeText decodes ${charset === '' ? 'text without a charset' : `the charset ${charset}`}`, () => {
      assert.equal(decodeCharset(Buffer.from(octets, 'latin1'), charset), text);
    });
  }

  it('decodeText stops at the octet limit', () => {
    assert.equal(textOf('Subject: x', 'abcdef', 3), 'abc');
  });

  it('decodeText decodes the output of encodeText', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (octets) => {
        const encoded = encodeQuotedPrintable(Buffer.from(octets));
        assert.deepEqual(stripLineEnds(decodeQuotedPrintable(encoded)), stripLineEnds(Buffer.from(octets)));
      }),
    );
  });

  it('decodeText never throws for any octets, encoding or charset', () => {
    const encoding = fc.constantFrom('7bit', 'base64', 'quoted-printable', 'x');
    const charset = fc.oneof(
      fc.string(),
      fc.constantFrom('utf-16', 'iso-2022-jp', 'gb18030', 'big5', 'euc-kr', 'utf-7'),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), encoding, charset, (octets, name, set) => {
        const header = `Content-Type: text/plain; charset="${set.replace(/[\r\n"]/g, '')}"\r\nContent-Transfer-Encoding: ${name}`;
        assert.equal(typeof textOf(header, Buffer.from(octets)), 'string');
      }),
    );
  });
});

/** Removes CR and LF, because the encoder and the decoder differ on whether a lone CR or LF is a line end. */
function stripLineEnds(octets: Uint8Array): string {
  return Buffer.from(octets)
    .toString('latin1')
    .replace(/[\r\n]/g, '');
}

describe('decodeEncodedWords', () => {
  const words: [text: string, decoded: string][] = [
    ['=?UTF-8?Q?R=C3=A9ponse_automatique?=', 'Réponse automatique'],
    ['=?utf-8?B?w7xi?= =?utf-8?B?ZXI=?= x', 'über x'],
    ['=?ISO-2022-JP?B?GyRCJWEhPCVrGyhC?=', 'メール'],
    ['=?utf-8*en?q?a?= =?x?', 'a =?x?'],
    ['plain', 'plain'],
  ];
  for (const [text, decoded] of words) {
    it(`decodeEncodedWords reads ${text}`, () => {
      assert.equal(decodeEncodedWords(text), decoded);
    });
  }

  it('decodeEncodedWords never throws, and takes bounded time for hostile texts', () => {
    for (const unit of ['=?', '=?a?q?', '?= =?', '=?utf-8?q?=', '=?utf-8?b?a?=']) {
      const usedMs = processorClock();
      decodeEncodedWords(unit.repeat(100_000));
      assert.ok(usedMs() < 2_000, unit);
    }
  });
});
