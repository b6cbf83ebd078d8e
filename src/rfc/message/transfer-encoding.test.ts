import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.ts';
import { anyText } from '../../../test/support/any-text.ts';
import { encodeText } from './transfer-encoding.ts';

function encoded(text: string): string {
  const { encoding, content } = encodeText(text);
  return `${encoding}|${content.toString('latin1')}`;
}

/** A decoder for RFC 2045 that shares no code with `encodeText`. */
function decoded(text: string): string {
  const { encoding, content } = encodeText(text);
  const ascii = content.toString('latin1');
  if (encoding === '7bit') return ascii;
  if (encoding === 'base64') return Buffer.from(ascii, 'base64').toString();
  const octets = ascii
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(octets, 'latin1').toString();
}

describe('encodeText', () => {
  const long = 'a'.repeat(901);
  const cases: [behavior: string, text: string, encoded: string][] = [
    ['leaves short ASCII lines unchanged', 'a\tb\nc=d', '7bit|a\tb\r\nc=d'],
    ['leaves an empty text empty', '', '7bit|'],
    ['converts all line ends to CRLF', 'a\rb\nc\r\nd\n\re\r\r\n', '7bit|a\r\nb\r\nc\r\nd\r\n\r\ne\r\n\r\n'],
    ['leaves lines of 900 characters unchanged', `${long.slice(1)}\n`, `7bit|${long.slice(1)}\r\n`],
    [
      'encodes text that is not ASCII',
      'The size of it is = 5 é',
      'quoted-printable|The size of it is =3D 5 =C3=A9',
    ],
    ['uses base64 if base64 is shorter', 'Жук', 'base64|0JbRg9C6'],
    [
      'encodes NUL and other controls',
      'Some more letters\0\x07\x7f',
      'quoted-printable|Some more letters=00=07=7F',
    ],
    ['encodes trailing whitespace', 'a \nb\t\nc ', 'quoted-printable|a=20\r\nb=09\r\nc=20'],
    [
      'encodes lines that programs with mbox files would change',
      'From me\nFrom: you\n',
      'quoted-printable|=46rom me\r\nFrom: you\r\n',
    ],
    ['encodes lines that start like a boundary', 'abcdefgh\n--=_x', 'quoted-printable|abcdefgh\r\n--=3D_x'],
    ['escapes a leading dot in encoded text', '.some\n.more é', 'quoted-printable|=2Esome\r\n=2Emore =C3=A9'],
  ];
  for (const [behavior, text, expected] of cases) {
    it(`encodeText ${behavior}`, () => assert.equal(encoded(text), expected));
  }

  it('encodeText folds long lines', () => {
    const [first, ...rest] = encoded(long).split('\r\n');
    assert.equal(first, `quoted-printable|${'a'.repeat(75)}=`);
    assert.ok(rest.every((line) => line.length <= 76));
  });

  it('encodeText chooses the shorter encoding for mixed text', () => {
    for (let share = 0; share <= 100; share += 5) {
      const text = 'é'.repeat(share) + 'a'.repeat(1_000 - share);
      const { content } = encodeText(text);
      assert.ok(content.length <= (Buffer.byteLength(text) / 3) * 4 * 1.03 + 4, `${share} of 1000`);
    }
  });

  it('the result of encodeText decodes to the same text, and relays leave its ASCII lines unchanged', () => {
    const piece = fc.oneof(
      anyText(),
      fc.constantFrom(
        '\r',
        '\n',
        '\r\n',
        ' \n',
        '\t',
        '.',
        '=',
        'From ',
        '--=_',
        'é',
        '😀',
        '\0',
        'a'.repeat(80),
        long,
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('').toWellFormed();
        assert.equal(decoded(text), text.replace(/\r\n?|\n/g, '\r\n'));
        const { content, encoding } = encodeText(text);
        assert.equal(encoded(text), encoded(text));
        for (const line of content.toString('latin1').split('\r\n')) {
          assert.match(line, /^[\t -~]*$/);
          assert.doesNotMatch(line, /^From |^--=_|[ \t]$/);
          assert.ok(line.length <= (encoding === '7bit' ? 900 : 76));
        }
      }),
      { numRuns: runs(1_000) },
    );
  });
});
