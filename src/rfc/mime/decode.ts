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

const LF = 0x0a;
const WHITE_SPACE = /[ \t\r\n]+/g;
/** Nothing follows the `=`. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** A longer line is no quoted-printable: where it is cut, an escape may stay as it is. */
const MAX_LINE = 65_536;

/** Takes the octets of a leaf piece by piece, and gives what is decoded so far. */
type OctetDecoder = (piece: Buffer, isLast: boolean) => Buffer;

/** Thrown by decoders: the octets are not of the encoding that they are said to have. */
export class UnknownEncoding extends Error {}

/**
 * Undoes a transfer encoding for who stores what comes out. Base64 with anything in it that is none, or that ends too early, is not decoded: RFC 2045,
 * section 6.8 takes that for damage. `decodeText`, which is for reading, skips it. @returns null: nobody knows the encoding
 */
export function createDecoder(transferEncoding: string): OctetDecoder | null {
  if (transferEncoding === 'base64') return base64Decoder();
  if (transferEncoding === 'quoted-printable') return quotedPrintableDecoder();
  return UNENCODED.has(transferEncoding) ? (piece) => piece : null;
}

const UNENCODED = new Set(['7bit', '8bit', 'binary', '']);

function base64Decoder(): OctetDecoder {
  let rest = '';
  let hasEnded = false;
  return (piece, isLast) => {
    const text = rest + piece.toString('latin1').replace(WHITE_SPACE, '');
    // Four characters are three octets, wherever lines end.
    const whole = isLast ? text.length : text.length - (text.length % 4);
    rest = text.slice(whole);
    const encoded = text.slice(0, whole);
    if (!BASE64.test(encoded) || encoded.length % 4 === 1 || (hasEnded && encoded !== ''))
      throw new UnknownEncoding('what is no base64');
    hasEnded ||= encoded.endsWith('=');
    return Buffer.from(encoded, 'base64');
  };
}

function quotedPrintableDecoder(): OctetDecoder {
  let rest: Buffer = Buffer.alloc(0);
  return (piece, isLast) => {
    const octets = Buffer.concat([rest, piece]);
    const lineEnd = octets.lastIndexOf(LF) + 1;
    const end = isLast || octets.length - lineEnd > MAX_LINE ? octets.length : lineEnd;
    rest = octets.subarray(end);
    return decodeQuotedPrintable(octets.subarray(0, end));
  };
}

/** The text of a leaf in its charset, with LF for each line end, from at most `maxOctets` encoded octets. Never throws. */
export function decodeText(raw: Buffer, entity: Entity, maxOctets: number): string {
  const octets = decodeBody(raw, entity, maxOctets);
  return decodeCharset(octets, entity.parameters.get('charset') ?? '').replace(/\r\n?/g, '\n');
}
