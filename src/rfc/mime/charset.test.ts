import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { processorClock } from '../../../test/support/processor-time.ts';
import { decodeCharset, decodeStrictly, strictDecoder } from './charset.ts';
import { charsetName, LABELS } from './charset-labels.ts';

const octetsOf = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Octets in a charset, with several labels of the charset. */
const SAMPLES: readonly [labels: string, octets: string, text: string][] = [
  ['utf-8 UTF8 utf_8 cp65001 utf8mb4 unicode-1-1-utf-8 "utf-8" utf-8; UTF-8//TRANSLIT', '\xc3\xbc', 'ü'],
  ['utf-7 UTF7 unicode-1-1-utf-7 x-unicode-2-0-utf-7 cp65000', 'a+AOk-b +- +ZeVnLIqe-, x', 'aéb + 日本語, x'],
  ['iso-8859-1 latin1 ISO_8859-1:1987 iso8859_1 l1 cp819 x-latin1 cp1252 windows1252 win-1252', '\xfc', 'ü'],
  ['iso-8859-2 latin-2 iso8859-2 csISOLatin2 ISO_8859-2', '\xb1', 'ą'],
  ['iso-8859-9 latin5 turkish x-windows-1254', '\xfd', 'ı'],
  ['iso-8859-15 latin-9 ISO8859-15', '\xa4', '€'],
  ['iso-8859-8-i logical iso-8859-8-e hebrew', '\xe0', 'א'],
  ['windows-1251 cp1251 win1251 x-cp1251 windows_1251', '\xc7\xe0', 'За'],
  ['koi8-r KOI8 koi8r cskoi8r cp20866', '\xf0', 'П'],
  ['koi8-u koi8-ru cp21866', '\xa4', 'є'],
  ['cp866 ibm866 DOS-866', '\x8f', 'П'],
  ['cp437 IBM437 437', '\x81', 'ü'],
  ['cp850 ibm-850 x-cp850 cp00850', '\x81', 'ü'],
  ['tis-620 windows-874 iso-8859-11 x-windows-874 cp874', '\xa1', 'ก'],
  ['viscii csVISCII viscii1.1-1', '\xd5', 'ạ'],
  ['macintosh x-mac-roman mac macroman', '\x8a\xdb', 'ä€'],
  ['x-mac-cyrillic maccyrillic x-mac-ukrainian', '\x8f', 'П'],
  ['x-mac-ce x-mac-centraleurroman cp10029', '\x8e', 'é'],
  ['x-mac-greek macgreek', '\x9c', '€'],
  ['x-mac-turkish', '\xdd', 'ı'],
  ['x-mac-icelandic', '\xdb\xdc', '€Ð'],
  ['x-mac-croatian', '\xdb\xb9', '€š'],
  ['x-mac-romanian', '\xaf', 'Ș'],
  ['armscii-8', '\xb2', 'Ա'],
  ['shift_jis sjis x-sjis cp932 MS932 windows-31j csShiftJIS x-mac-japanese', '\x83\x81\x81[\x87@', 'メー①'],
  ['euc-jp x-euc-jp ujis cp51932 eucJP-ms', '\xa5\xe1\xad\xa1\x8f\xb0\xa1', 'メ①丂'],
  [
    'iso-2022-jp csISO2022JP cp50220 iso-2022-jp-ms iso-2022-jp-2',
    '\x1b$B%a!<%k\x1b(B ok\x1b(I1',
    'メール okｱ',
  ],
  ['iso-2022-jp-2', '\x1b$AVPND\x1b$(CGQ\x1b$(D0!\x1b(B\x1b.A\x1bNi', '中文한丂é'],
  ['iso-2022-kr csISO2022KR cp50225', '\x1b$)C\x0eGQ1[\x0f abc\n\x0eGQ', '한글 abc\n한'],
  ['iso-2022-cn', '\x1b$)A\x0eVPND\x0f ok', '中文 ok'],
  ['hz-gb-2312 hz', '~{VPND~} ~~ a~\nb', '中文 ~ ab'],
  [
    'gb2312 gbk cp936 MS936 gb_2312-80 x-gbk euc-cn csGB2312 chinese x-mac-chinesesimp',
    '\xd6\xd0\x96|',
    '中東',
  ],
  ['gb18030 cp54936', '\xd6\xd0\x81\x30\x81\x30', '中\x80'],
  ['big5 cp950 big5-hkscs big5-eten x-x-big5 cn-big5 x-mac-chinesetrad', '\xa4\xa4\x87\x40', '中䏰'],
  [
    'euc-kr ks_c_5601-1987 ksc5601 cp949 MS949 uhc x-windows-949 korean x-mac-korean',
    '\xc7\xd1\x94\xee',
    '한뷁',
  ],
  ['utf-16 ucs-2 unicode', 'a\0b\0', 'ab'],
  ['utf-16 csUnicode iso-10646-ucs-2', '\0a\0b', 'ab'],
  ['utf-16 utf-16be', '\xfe\xff\0a', 'a'],
  ['utf-32be', '\0\0\0a', 'a'],
];

describe('decodeCharset', () => {
  for (const [labels, octets, text] of SAMPLES)
    for (const label of labels.split(' '))
      it(`decodeCharset decodes ${JSON.stringify(octets)} in ${label}`, () => {
        assert.equal(decodeCharset(octetsOf(octets), label), text);
        assert.equal(decodeStrictly(octetsOf(octets), label), text);
      });

  const damaged: [label: string, octets: string, text: string][] = [
    ['utf-8', '\xe8\xaf\xb7 \xfc \xe8\xaf\xb7\xe8', '请 \ufffd 请\ufffd'],
    ['euc-kr', '\xc7\xd1\xff\n\xc7\xd1\xc7', '한\ufffd\n한\ufffd'],
    ['gb2312', '\xd6\xd0\xff\n\xd6\xd0', '中\ufffd\n中'],
    ['shift_jis', '\x83\x81\x83\n\x83\x81', 'メ\ufffd\nメ'],
    ['big5', '\xa4\xa4\xff\n\xa4\xa4', '中\ufffd\n中'],
    ['euc-jp', '\xa5\xe1\x80\n\xa5\xe1', 'メ\ufffd\nメ'],
    ['iso-2022-jp', '\x1b$B%a\xfc%k\x1b(B\x1b[m', 'メ\ufffdル\ufffd[m'],
    ['iso-2022-kr', '\x1b$)C\x0eG\nGQ', '\ufffd\nGQ'],
    ['iso-2022-cn', '\x1b$)G\x0eGQ\x0fa', '\ufffda'],
    ['hz', '~{VP\xfc~} ~x', '中\ufffd \ufffdx'],
    ['utf-7', 'a\xfc+A-', 'a\ufffd\ufffd'],
    ['utf-16le', 'a\0\0\xd8b\0c', 'a\ufffdb\ufffd'],
    ['viscii', 'a', 'a'],
  ];
  for (const [label, octets, text] of damaged)
    it(`decodeCharset replaces only the invalid octets of ${JSON.stringify(octets)} in ${label}`, () => {
      assert.equal(decodeCharset(octetsOf(octets), label), text);
      assert.equal(decodeStrictly(octetsOf(octets), label), text.includes('\ufffd') ? null : text);
    });

  const guessed: [labels: string, octets: string, text: string][] = [
    [' us-ascii unknown-8bit x-unknown default ANSI_X3.4-1968', '\xc3\xbc\n\xfc\n\xc3\xbc', 'ü\nü\nü'],
    [' us-ascii', '\x1b$B%a!<%k\x1b(B', 'メール'],
    ['', 'Gr\xc3\xbc\xc3\x9fe \xfc', 'Grüße \ufffd'],
    ['', '\xe6\x97\xa5\xe6\x9c', '日\ufffd'],
    ['', '\xc3\xbc \xfc\xe4', 'Ã¼ üä'],
    ['', '\xfc\xe4\xf6 \xc3\xbc', 'üäö Ã¼'],
    [' us-ascii', '\xff\xfea\0', 'a'],
    [' x-no-such-charset base64 hex binary constructor __proto__', '\xfc', 'ü'],
  ];
  for (const [labels, octets, text] of guessed)
    it(`decodeCharset guesses ${JSON.stringify(octets)} if no charset is named`, () => {
      for (const label of labels.split(' ')) {
        assert.equal(decodeCharset(octetsOf(octets), label), text, label);
        assert.equal(decodeStrictly(octetsOf(octets), label), null, label);
      }
    });

  it('decodeStrictly accepts UTF-8 without a charset, but only ASCII in an unknown charset', () => {
    assert.equal(decodeStrictly(octetsOf('\xc3\xbc'), ''), 'ü');
    assert.equal(decodeStrictly(octetsOf('\xc3\xbc'), 'us-ascii'), 'ü');
    assert.equal(decodeStrictly(octetsOf('abc'), 'x-no-such-charset'), 'abc');
    assert.equal(decodeStrictly(octetsOf('\xc3\xbc'), 'x-no-such-charset'), null);
  });

  it('strictDecoder knows only named charsets', () => {
    assert.equal(strictDecoder('ks_c_5601-1987')?.(octetsOf('\x94\xee')), '뷁');
    for (const label of ['', 'unknown-8bit', 'x-no-such-charset', 'toString', 'iso-8859-12', 'latin11'])
      assert.equal(strictDecoder(label), null, label);
  });

  it('decodeCharset decodes every charset that a label can name', () => {
    const parts = Array.from({ length: 20 }, (_, part) =>
      ['', 'e', 'i'].map((end) => `iso-8859-${part}-${end}`),
    );
    const pages = Array.from({ length: 65_536 }, (_, page) => `cp${page}`);
    const latin = Array.from({ length: 20 }, (_, number) => `latin${number}`);
    const labels = [
      ...Object.values(LABELS).flatMap((keys) => keys.split(' ')),
      ...parts.flat(),
      ...pages,
      ...latin,
    ];
    const names = new Set(labels.map((label) => charsetName(label) ?? ''));
    names.delete('');
    assert.ok(names.size > 90);
    const text = 'ab';
    for (const name of names) {
      const width = name.startsWith('utf32') ? 4 : name.startsWith('utf-16') ? 2 : 1;
      const octets = Buffer.alloc(text.length * width);
      const isBigEndian = name.endsWith('be');
      for (const [at, letter] of [...text].entries())
        octets[at * width + (isBigEndian ? width - 1 : 0)] = letter.charCodeAt(0);
      assert.equal(decodeStrictly(octets, name), text, name);
      assert.equal(decodeCharset(octets, name), text, name);
      assert.notEqual(strictDecoder(name), null, name);
    }
    for (const label of ['iso-8859-1-e', 'iso-8859-15-i', 'iso-8859-11-e'])
      assert.equal(charsetName(label), null, label);
  });

  it('decodeStrictly rejects the same octets as the decoders of Node that throw', () => {
    const pairs = Array.from({ length: 9_362 }, (_, at) => Uint8Array.of((at * 7) >> 8, (at * 7) & 255));
    const replacement = [0xfd, 0xff, 0xfd, 0x84, 0x31, 0xa4, 0x37];
    const mixed = Array.from({ length: 256 }, (_, octet) => Uint8Array.of(...replacement, octet));
    for (const name of [
      'utf-8',
      'utf-16le',
      'utf-16be',
      'gbk',
      'gb18030',
      'windows-1253',
      'iso-8859-3',
      'koi8-u',
    ]) {
      const fatal = new TextDecoder(name, { fatal: true });
      for (const octets of [...pairs, ...mixed]) {
        let expected: string | null = null;
        try {
          expected = fatal.decode(octets);
        } catch {}
        assert.equal(
          decodeStrictly(octets, name),
          expected,
          `${name} ${Buffer.from(octets).toString('hex')}`,
        );
      }
    }
    assert.equal(decodeStrictly(octetsOf('\x841\xa47'), 'gb18030'), '\ufffd');
    assert.equal(decodeStrictly(octetsOf('\xef\xbf\xbd'), 'utf-8'), '\ufffd');
  });

  it('decodeStrictly accepts the escape sequences of terminals in ASCII', () => {
    for (const label of ['', 'us-ascii', 'x-no-such-charset'])
      assert.equal(decodeStrictly(octetsOf('\x1b[1mok\x1b(B\x1b[m'), label), '\x1b[1mok\x1b(B\x1b[m');
  });

  it('decodeStrictly rejects half a surrogate pair', () => {
    for (const [label, octets] of [
      ['utf-7', '+2D0-'],
      ['utf-32le', '\0\xd8\0\0'],
      ['cesu-8', '\xed\xa0\xbd'],
      ['utf-16le', '\0\xd8'],
    ] as const) {
      assert.equal(decodeStrictly(octetsOf(octets), label), null, label);
      assert.ok(decodeCharset(octetsOf(octets), label).isWellFormed(), label);
    }
  });

  it('decodeCharset never throws for any octets and labels', () => {
    const known = SAMPLES.flatMap(([labels]) => labels.split(' '));
    const label = fc.oneof(fc.string(), fc.constantFrom(...known));
    const octets = fc.uint8Array({ maxLength: 60 });
    const switched = fc
      .array(
        fc.constantFrom(
          '\x1b$B',
          '\x1b(B',
          '\x1b$)C',
          '\x0e',
          '\x0f',
          '\x1bN',
          '~{',
          '~}',
          '+',
          '-',
          'ab',
          '\n',
        ),
      )
      .map((pieces) => new Uint8Array(octetsOf(pieces.join(''))));
    fc.assert(
      fc.property(fc.oneof(octets, switched), label, (given, name) => {
        const text = decodeCharset(given, name);
        assert.ok(text.isWellFormed());
        const strict = decodeStrictly(given, name);
        assert.ok(strict === null || strict === text);
        assert.notEqual(charsetName(name), undefined);
      }),
    );
  });

  it('decodeCharset takes bounded time for hostile octets', () => {
    const hostile = {
      '': ['\xff\n', '\xff\n\xc3\xbc\n', '\x1b$B'],
      'iso-2022-jp': ['\x1b', '\x1b$B%a\x1b(B', '\x0e\x0f'],
      hz: ['~{VP~}', '~'],
      'utf-7': ['+', '+A', '+AOk-'],
      'euc-kr': ['\xff', '\x94\xee'],
      big5: ['\xff'],
      'x-mac-greek': ['\x9c'],
    };
    for (const [label, units] of Object.entries(hostile))
      for (const unit of units) {
        const usedMs = processorClock();
        decodeCharset(Buffer.alloc(1_048_576, octetsOf(unit)), label);
        assert.ok(usedMs() < 2_000, `${label} ${unit}`);
      }
  });
});
