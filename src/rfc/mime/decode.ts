import { decodeCharset } from './charset.ts';
import type { Entity } from './entity.ts';
import { decodeQuotedPrintable } from './quoted-printable.ts';

/**
 * The octets of a leaf with its transfer encoding undone (RFC 2045, section 6), from at most `maxOctets` encoded ones.
 * Never throws: octets that the encoding does not allow are skipped (base64) or kept (quoted-printable).
 */
function decodeBody(raw: Buffer, entity: Entity, maxOctets: number): Buffer {
  const body = raw.subarray(entity.bodyStart, Math.min(entity.end, entity.bodyStart + maxOctets));
  if (entity.transferEncoding === 'base64') return Buffer.from(body.toString('latin1'), 'base64');
  if (entity.transferEncoding === 'quoted-printable') return decodeQuotedPrintable(body);
  return body;
}

/** Octets of the input that are decoded in one piece: some milliseconds. */
const PIECE = 262_144;
const LF = 0x0a;
const NOT_BASE64 = /[^A-Za-z0-9+/=]+/g;

/**
 * The octets of a leaf with its transfer encoding undone, piece by piece, each of some milliseconds. Never throws: as `decodeText`.
 * @returns null: nobody knows this encoding
 */
export function decodeOctets(body: Buffer, transferEncoding: string): Iterable<Buffer> | null {
  if (transferEncoding === 'base64') return decodingBase64(body);
  if (transferEncoding === 'quoted-printable') return decodingQuotedPrintable(body);
  return UNENCODED.has(transferEncoding) ? [body] : null;
}

const UNENCODED = new Set(['7bit', '8bit', 'binary', '']);

function* decodingBase64(body: Buffer): Generator<Buffer> {
  let rest = '';
  for (let at = 0; at < body.length; at += PIECE) {
    const text =
      rest + body.toString('latin1', at, Math.min(body.length, at + PIECE)).replace(NOT_BASE64, '');
    // Four characters are three octets, wherever lines end.
    const whole = at + PIECE < body.length ? text.length - (text.length % 4) : text.length;
    rest = text.slice(whole);
    yield Buffer.from(text.slice(0, whole), 'base64');
  }
}

function* decodingQuotedPrintable(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; ) {
    const lineFeed = at + PIECE < body.length ? body.lastIndexOf(LF, at + PIECE) : -1;
    // A line that is longer than a piece is no quoted-printable; where it is cut an escape may stay as it is.
    const end = lineFeed >= at ? lineFeed + 1 : Math.min(body.length, at + PIECE);
    yield decodeQuotedPrintable(body.subarray(at, end));
    at = end;
  }
}

/** The text of a leaf in its charset, with LF for each line end, from at most `maxOctets` encoded octets. Never throws. */
export function decodeText(raw: Buffer, entity: Entity, maxOctets: number): string {
  const octets = decodeBody(raw, entity, maxOctets);
  return decodeCharset(octets, entity.parameters.get('charset') ?? '').replace(/\r\n?/g, '\n');
}
