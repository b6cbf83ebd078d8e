import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { processorClock } from '../../../test/support/processor-time.ts';
import { readParameterizedValue, readTransferEncoding } from './content-type.ts';

const VALUES: readonly [text: string, value: string, parameters: Record<string, string>][] = [
  ['text/plain', 'text/plain', {}],
  ['Text/HTML; Charset=UTF-8', 'text/html', { charset: 'UTF-8' }],
  [
    'multipart/report; boundary="a b;c"; report-type=x',
    'multipart/report',
    { boundary: 'a b;c', 'report-type': 'x' },
  ],
  ['multipart/mixed; boundary="a\\"b"', 'multipart/mixed', { boundary: 'a"b' }],
  ['multipart/mixed; boundary="no end', 'multipart/mixed', { boundary: 'no end' }],
  ['multipart/mixed;boundary=a;boundary=b', 'multipart/mixed', { boundary: 'a' }],
  ['text/plain (comment); nonsense; format = flowed', 'text/plain', { format: 'flowed' }],
  ['text (a) / (b (c) ") html (d) ; (e; f=g) charset (h) = (i) utf-8 (j)', 'text/html', { charset: 'utf-8' }],
  ['a/b; name=report(1).pdf; x="(no comment)"', 'a/b', { name: 'report(1).pdf', x: '(no comment)' }],
  ['a/b; (no end; x=1', 'a/b', { x: '1' }],
  ['a / b', 'a/b', {}],
  ["text/plain; name*=utf-8''a", 'text/plain', { name: 'a' }],
  ["text/plain; name*=iso-8859-1'de'%FCber%20a", 'text/plain', { name: 'über a' }],
  ['a/b; name*1=two; name*0="one "; x=1', 'a/b', { x: '1', name: 'one two' }],
  ['a/b; name*0*=utf-8\'\'%C3; name*1*=%BC; name*2="%41"; name*4=no', 'a/b', { name: 'ü%41' }],
  ["a/b; name=plain; name*=utf-8''better", 'a/b', { name: 'better' }],
  ['a/b; name*1=alone', 'a/b', {}],
  ['a/b; filename=invoice of may.pdf', 'a/b', { filename: 'invoice of may.pdf' }],
  ['a/b; filename = report (final) v2.pdf ; size=3', 'a/b', { filename: 'report (final) v2.pdf', size: '3' }],
  ['a/b; name=a; b.pdf; x=1', 'a/b', { name: 'a; b.pdf', x: '1' }],
  ['a/b; name=a=b c.pdf;', 'a/b', { name: 'a=b c.pdf' }],
  ['a/b; name=Jörg\'s "best" file, 2.pdf', 'a/b', { name: 'Jörg\'s "best" file, 2.pdf' }],
  ['a/b; name="a "b" c.pdf"; x=1', 'a/b', { name: 'a "b" c.pdf', x: '1' }],
  ['a/b; name="a.pdf" size="3"', 'a/b', { name: 'a.pdf', size: '3' }],
  ['a/b; name="a.pdf" junk boundary="b c"', 'a/b', { name: 'a.pdf', boundary: 'b c' }],
  ['a/b; name=a.txt charset = utf-8', 'a/b', { name: 'a.txt', charset: 'utf-8' }],
  ['a/b; name=a b.txt (c) boundary="x y"; z=1', 'a/b', { name: 'a b.txt (c)', boundary: 'x y', z: '1' }],
  ['a/b; name="a.pdf" junk; x=1', 'a/b', { name: 'a.pdf', x: '1' }],
  ['a/b; name=C:\\my files\\a.pdf', 'a/b', { name: 'C:\\my files\\a.pdf' }],
  [
    'a/b; name==?utf-8?Q?a;b?= =?utf-8?Q?=C3=BC?=; x=1',
    'a/b',
    { name: '=?utf-8?Q?a;b?= =?utf-8?Q?=C3=BC?=', x: '1' },
  ],
  ['a/b; name=; x=1', 'a/b', { name: '', x: '1' }],
  ['a/b; charset=utf-8 (c); name=x (y) z.txt', 'a/b', { charset: 'utf-8', name: 'x (y) z.txt' }],
  ['a/b; filename*0=invoice of; filename*1=" may.pdf"', 'a/b', { filename: 'invoice of may.pdf' }],
  ["a/b; name*0*=utf-8''%E; name*1*=3%81%82%E3; name*2*=%81%84", 'a/b', { name: 'あい' }],
  ["a/b; name*0*=cp949''%94; name*1*=%EE.txt", 'a/b', { name: '뷁.txt' }],
  ["a/b; name*=utf-8''%FCa", 'a/b', { name: '\ufffda' }],
  [
    'a/b; name*0="=?utf-8?Q?=E0=B8?="; name*1=" =?utf-8?Q?=99?="',
    'a/b',
    { name: '=?utf-8?Q?=E0=B8?= =?utf-8?Q?=99?=' },
  ],
  ['', '', {}],
];

describe('readParameterizedValue', () => {
  for (const [text, value, parameters] of VALUES) {
    it(`readParameterizedValue reads ${JSON.stringify(text)}`, () => {
      const read = readParameterizedValue(text);
      assert.deepEqual(
        { value: read.value, parameters: Object.fromEntries(read.parameters) },
        { value, parameters },
      );
    });
  }

  it('readParameterizedValue never throws, and takes bounded time for hostile texts', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        assert.equal(typeof readParameterizedValue(text).value, 'string');
      }),
    );
    for (const unit of [
      ' name=',
      ';name=',
      ';name="a"b',
      ';name=(',
      ';name=a;',
      ';',
      ' ',
      '=',
      '"',
      'a=',
      ';a="',
      '; ',
      'a',
      '\\',
      '(',
      ' (',
      ' ()',
      '/ ',
    ]) {
      const usedMs = processorClock();
      // The time limit is short, because a message may have thousands of such fields.
      for (let times = 0; times < 100; times++) readParameterizedValue(`a/b;${unit.repeat(100_000)}`);
      assert.ok(usedMs() < 2_000, `${unit} ${usedMs()} ms`);
    }
  });
});

const ENCODINGS: readonly [text: string, encoding: string][] = [
  ['7bit', '7bit'],
  ['Base64', 'base64'],
  ['7 bit', '7bit'],
  ['8-BIT', '8bit'],
  ['8 Bits', '8bit'],
  ['"quoted-printable"', 'quoted-printable'],
  ['Quoted Printable', 'quoted-printable'],
  ['quoted-printable (by a gateway)', 'quoted-printable'],
  ['base 64; charset=utf-8', 'base64'],
  ["'binary'", 'binary'],
  ['x-uuencode', 'x-uuencode'],
  ['base64 encoded', 'base64'],
  ['utf-8', 'utf-8'],
  ['', ''],
];

describe('readTransferEncoding', () => {
  for (const [text, encoding] of ENCODINGS)
    it(`readTransferEncoding reads ${JSON.stringify(text)} as ${JSON.stringify(encoding)}`, () =>
      assert.equal(readTransferEncoding(text), encoding));
});
