/** Quoted-printable (RFC 2045, section 6.7). */

/** Without the `=` of a soft line break. */
const MAX_CONTENT = 75;

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const DOT = 0x2e;
const EQUALS = 0x3d;
const CAPITAL_F = 0x46;
const HEX = Buffer.from('0123456789ABCDEF');

/** 1 for octets that may stand for themselves. */
const IS_LITERAL = new Uint8Array(256).fill(1, SPACE, 0x7f);
IS_LITERAL[TAB] = 1;
IS_LITERAL[EQUALS] = 0;

/**
 * Line ends of the input, CRLF only, stay line ends. Octets that servers on the way may change are escaped as well
 * (RFC 2049, section 3): a dot that begins a line, and the F of `From `.
 */
export function encodeQuotedPrintable(bytes: Buffer): Buffer {
  // Each octet may take 3, and each 73 of those a soft line break of 3.
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

/** Octets behind `=` that are no pair of digits stay as they are. */
export function decodeQuotedPrintable(body: Uint8Array): Buffer {
  const out = Buffer.allocUnsafe(body.length);
  let length = 0;
  for (let at = 0; at < body.length; at++) {
    const octet = body[at] as number;
    if (octet !== EQUALS) {
      out[length++] = octet;
      continue;
    }
    const high = hexDigit(body[at + 1]);
    const low = hexDigit(body[at + 2]);
    if (high !== -1 && low !== -1) {
      out[length++] = high * 16 + low;
      at += 2;
      continue;
    }
    const next = softLineEnd(body, at + 1);
    if (next === -1) out[length++] = octet;
    else at = next - 1;
  }
  return out.subarray(0, length);
}

/** Bounds how much space at the end of a line, which a server may have added, is looked at. */
const MAX_PADDING = 80;

/** The position behind the line end of a soft line break, or -1. */
function softLineEnd(body: Uint8Array, from: number): number {
  let at = from;
  const limit = Math.min(body.length, from + MAX_PADDING);
  while (at < limit && (body[at] === SPACE || body[at] === TAB)) at++;
  if (body[at] === CR) at++;
  if (body[at] === LF) return at + 1;
  return at >= body.length ? body.length : -1;
}

function hexDigit(octet: number | undefined): number {
  if (octet === undefined) return -1;
  if (octet >= 0x30 && octet <= 0x39) return octet - 0x30;
  const lower = octet | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
