/** Quoted-printable (RFC 2045, section 6.7). */

/** The maximum line length, without the `=` of a soft line break. */
const MAX_CONTENT = 75;

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const DOT = 0x2e;
const EQUALS = 0x3d;
const CAPITAL_F = 0x46;
const HEX = Buffer.from('0123456789ABCDEF');

/** For each octet: 1 if it may be written literally. */
const IS_LITERAL = new Uint8Array(256).fill(1, SPACE, 0x7f);
IS_LITERAL[TAB] = 1;
IS_LITERAL[EQUALS] = 0;

/**
 * Encodes text. The line ends of the input, which must be CRLF, stay line ends. Also escapes octets that relays may change: a dot at the
 * start of a line, and the F of `From ` (RFC 2049, section 3).
 */
export function encodeQuotedPrintable(bytes: Buffer): Buffer {
  // Worst case: 3 octets for each octet, and a soft line break of 3 octets after each 73 octets of the result.
  const out = Buffer.allocUnsafe(bytes.length * 3 + (Math.ceil((bytes.length * 3) / 73) + 1) * 3);
  let length = 0;
  let column = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === CR && bytes[at + 1] === LF) {
      out[length++] = CR;
      out[length++] = LF;
      at++;
      column = 0;
      continue;
    }
    let isLiteral = IS_LITERAL[byte] === 1;
    if (byte === SPACE || byte === TAB) isLiteral = at + 1 < bytes.length && bytes[at + 1] !== CR;
    const width = isLiteral ? 1 : 3;
    if (column + width > MAX_CONTENT) {
      out[length++] = EQUALS;
      out[length++] = CR;
      out[length++] = LF;
      column = 0;
    }
    if (
      column === 0 &&
      (byte === DOT || (byte === CAPITAL_F && bytes.toString('latin1', at, at + 5) === 'From '))
    ) {
      isLiteral = false;
    }
    if (isLiteral) {
      out[length++] = byte;
      column++;
    } else {
      out[length++] = EQUALS;
      out[length++] = HEX[byte >> 4] as number;
      out[length++] = HEX[byte & 15] as number;
      column += 3;
    }
  }
  return out.subarray(0, length);
}

/**
 * An escaped octet, a soft line break, or space at the end of a line, which is ignored because a server may have added the space (RFC 2045,
 * section 6.7, rule 3). The length of the space after `=` is bounded, so that matching takes linear time.
 */
const ESCAPE = /=(?:([0-9A-Fa-f]{2})|[ \t]{0,80}\r?(?:\n|$))|(?<![ \t])[ \t]+(?=\r?(?:\n|$))/g;

/** Decodes text. An `=` stays unchanged if the next two characters are not hexadecimal digits. */
export function decodeQuotedPrintable(body: Buffer): Buffer {
  const text = body
    .toString('latin1')
    .replace(ESCAPE, (_, digits: string | undefined) =>
      digits === undefined ? '' : String.fromCharCode(Number.parseInt(digits, 16)),
    );
  return Buffer.from(text, 'latin1');
}
