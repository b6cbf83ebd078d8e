import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { processorClock } from '../../../test/support/processor-time.ts';
import {
  decodeCharset,
  decodeEncodedWords,
  decodeEncodedWordsStrictly,
  decodeText,
  readEntity,
} from './index.ts';
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
    ['Content-Transfer-Encoding: base64', 'w7xiZQ==\r\ncg==\r\nw7xiZXJh\r\n', 'überübera'],
    ['Content-Transfer-Encoding: base64', 'YQ==\r\n--\r\nTo unsubscribe, write to x@y.test', 'a'],
    ['Content-Transfer-Encoding: base64', 'YQ==\r\nfooter', 'a'],
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

  const html: [type: string, octets: string, text: RegExp][] = [
    ['text/html', '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">\xc7', /З/],
    ['text/html', '<html><head><style>a{}</style><meta charset=koi8-r></head>\xfa', /З/],
    ['text/html; charset=us-ascii', "<META CHARSET = 'windows-1251' />\xc7", /З/],
    ['application/xhtml+xml', '<?xml version="1.0" encoding="windows-1251"?><p>\xc7', /З/],
    ['text/html', '<meta name="a" content="b"><meta charset="gb2312">\xd6\xd0', /中/],
    ['text/html; charset=windows-1252', '<meta charset=windows-1251>\xc7', /Ç/],
    ['text/html', '<!-- <meta charset=windows-1251> -->\xc7', /Ç/],
    ['text/html', '<meta name=x content="my charset windows-1251">\xc7', /Ç/],
    ['text/html', '<meta charset=utf-16>\xc7', /Ç/],
    ['text/html', '<meta charset=utf-7>+ADw-', /\+ADw-/],
    ...'unicode ucs-2 csUnicode iso-10646-ucs-2 utf_16 1200 ucs-4'
      .split(' ')
      .map((label): [string, string, RegExp] => [
        'text/html',
        `<meta charset=${label}>abc`,
        /^<meta .*>abc$/,
      ]),
    ...'cp65000 unicode-1-1-utf-7 utf_7'
      .split(' ')
      .map((label): [string, string, RegExp] => ['text/html', `<meta charset=${label}>+ADw-`, /\+ADw-/]),
    ['text/html', '<meta charset=unicode>\xc3\xbc', /ü/],
    ['text/html', '<meta charset=iso-8859-1>\xc3\xbc', /ü/],
    ['text/html; charset=us-ascii', '<meta charset=gb2312>\xc3\xbc', /ü/],
    ['text/html; charset=iso-8859-1', '<meta charset=utf-8>\xc3\xbc', /Ã¼/],
    ['text/html', '<meta charset=iso-2022-jp>\x1b$B%a\x1b(B', /メ/],
    ['text/plain', '<meta charset=windows-1251>\xc7', /Ç/],
  ];
  for (const [type, octets, text] of html)
    it(`decodeText reads ${octets} as ${type}`, () => {
      assert.match(textOf(`Content-Type: ${type}`, octets), text);
    });

  it('decodeText reads one line end where a program converted line ends twice', () => {
    assert.equal(
      textOf('Content-Transfer-Encoding: quoted-printable', 'a=0D\r\nb\r\r\nc\r\rd'),
      'a\nb\nc\n\nd',
    );
  });

  it('decodeText omits the delimiter lines of a multipart in which no part begins', () => {
    const header = 'Content-Type: multipart/mixed; boundary=b\r\n--b\r\nContent-Type: text/plain';
    assert.equal(textOf(header, 'text\r\n--b--\r\n--bc\r\n'), 'text\n--bc\n');
  });

  it('decodeText omits a character that the octet limit cuts', () => {
    assert.equal(textOf('Subject: x', '\xc3\xbc\xe8\xaf\xb7', 4), 'ü');
    assert.equal(textOf('Content-Type: text/plain; charset=utf-8', '\xc3\xbc\xe8\xaf\xb7', 4), 'ü');
    assert.equal(textOf('Subject: x', 'a\xe8', 2), 'aè');
  });

  it('decodeText recognizes UTF-8 in HTML even if the octet limit cuts an escape', () => {
    const header = 'Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable';
    const start = '<meta charset=3Diso-8859-1>=C3=BC x';
    for (const length of [0, 1, 2, 3, 4, 5, 6])
      assert.match(textOf(header, `${start}=C3=BC=C3=BC`, start.length + length), /ü x/);
  });

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
    // A character is cut between words, in octets, in an escape, or in a group of base64.
    ['=?utf-8?Q?=E0=B8?= =?utf-8?Q?=99a?=', 'นa'],
    ['=?utf-8?Q?=E0=B?= =?UTF8?q?8=99?==?utf-8?Q?=C3?=\t =?utf-8?Q?=BC?=', 'นü'],
    ['=?utf-8?Q?=?= =?utf-8?Q?C3=BC?=', 'ü'],
    ['=?utf-8?B?4LiB4Lg=?= =?utf-8?B?gg==?=', 'กข'],
    ['=?utf-8?B?4LiB4?= =?utf-8?B?LiC?=', 'กข'],
    ['=?utf-8?B?4LiB4Li?= =?utf-8?B?C?=', 'กข'],
    ['=?utf-8?B?4LiB4Lg=?= =?utf-8?Q?=82?=', 'กข'],
    ['=?gb2312?B?1tA=?= =?GBK?B?uQ==?= =?cp936?B?+g==?=', '中国'],
    ['=?cp932?B?gqCC?= =?cp932?B?og==?=', 'あい'],
    ['=?iso-2022-jp?B?GyRCJWE=?= =?iso-2022-jp?B?ITwlaxsoQg==?=', 'メール'],
    ['=?utf-8?B?YQ?= =?utf-8?B?Yg?=', 'ab'],
    ['=?utf-7?Q?+AOk?= =?utf-7?Q?abc?=', 'éabc'],
    ['=?utf-8?Q?=E0=B8?= =?koi8-r?Q?=F0?=', '\ufffdП'],
    ['=?utf-8?Q?=E0=B8?= x =?utf-8?Q?=99?=', '\ufffd x \ufffd'],
    // Spaces and question marks that RFC 2047 forbids.
    ['=?utf-8?Q?hello big=C3=BC world?= x', 'hello bigü world x'],
    ['=?utf-8?B?w7xi ZXI=?=', 'über'],
    ['=?utf-8?Q?Really?_yes?=', 'Really? yes'],
    ['=?utf-8?Q?Hello_?= =?utf-8?Q?world_?=', 'Hello world '],
    ['=? utf-8 ?Q?=C3=BC?=', 'ü'],
    [`=?utf-8?Q?${'=C3=BC'.repeat(500)}?=`, 'ü'.repeat(500)],
    ['=?euc-kr?B?lO4=?= =?ks_c_5601-1987?B?x9E=?=', '뷁한'],
    ['=?x-no-such-charset?Q?=FC?=', 'ü'],
    ['a =?utf-8?Q?b =?utf-8?Q?c?=', 'a =?utf-8?Q?b c'],
    ['plain', 'plain'],
  ];
  for (const [text, decoded] of words) {
    it(`decodeEncodedWords reads ${text}`, () => {
      assert.equal(decodeEncodedWords(text), decoded);
    });
  }

  it('decodeEncodedWordsStrictly rejects what decodeEncodedWords guesses or replaces', () => {
    assert.equal(decodeEncodedWordsStrictly('=?utf-8?Q?=C3?= =?utf-8?Q?=BC?= x'), 'ü x');
    assert.equal(decodeEncodedWordsStrictly('=?x-no-such-charset?Q?abc?='), 'abc');
    for (const text of ['=?utf-8?Q?=FC?=', '=?x-no-such-charset?Q?=FC?=', 'a =?euc-kr?B?/w==?='])
      assert.equal(decodeEncodedWordsStrictly(text), null, text);
  });

  it('decodeEncodedWords never throws, and takes bounded time for hostile texts', () => {
    for (const unit of '=?|=?a?q?|?= =?|=?utf-8?q?=|=?utf-8?b?a?=|=?utf-8?b?a?= |=?=?q?|=?utf-8?q? |=? a?q?'.split(
      '|',
    )) {
      const usedMs = processorClock();
      decodeEncodedWords(unit.repeat(100_000));
      assert.ok(usedMs() < 2_000, unit);
    }
  });
});
