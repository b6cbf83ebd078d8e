import { decodeCharset } from './charset.ts';
import type { Entity } from './entity.ts';
import { decodeQuotedPrintable } from './quoted-printable.ts';

/**
 * Decodes the transfer encoding of a leaf part (RFC 2045, section 6), from at most `maxOctets` encoded octets. Never throws. In base64,
 * invalid octets are skipped; in quoted-printable, invalid octets stay unchanged.
 */
function decodeBody(raw: Buffer, entity: Entity, maxOctets: number): Buffer {
  const body = raw.subarray(entity.bodyStart, Math.min(entity.end, entity.bodyStart + maxOctets));
  if (entity.transferEncoding === 'base64') return Buffer.from(body.toString('latin1'), 'base64');
  if (entity.transferEncoding === 'quoted-printable') return decodeQuotedPrintable(body);
  return body;
}

const LF = 0x0a;
const WHITE_SPACE = /[ \t\r\n]+/g;
/** Base64 without line ends, and without text after the padding. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** The maximum length of a quoted-printable line. A longer line is split, and an escape across the split is not decoded. */
const MAX_LINE = 65_536;

/** Decodes the next octets of a leaf part. May hold octets back until the next call. */
type OctetDecoder = (piece: Buffer, isLast: boolean) => Buffer;

/** Thrown by decoders for octets that are not valid in the declared encoding. */
export class UnknownEncoding extends Error {}

/**
 * Creates a strict decoder of a transfer encoding, for results that are stored. The decoder rejects base64 with invalid characters or a
 * premature end, because the part is damaged (RFC 2045, section 6.8). `decodeText`, which is for display, skips invalid characters.
 * @returns null if the encoding is unknown
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
    // Four characters encode three octets, and may be on different lines.
    const whole = isLast ? text.length : text.length - (text.length % 4);
    rest = text.slice(whole);
    const encoded = text.slice(0, whole);
    if (!BASE64.test(encoded) || encoded.length % 4 === 1 || (hasEnded && encoded !== ''))
      throw new UnknownEncoding('invalid base64');
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

/** Decodes the text of a leaf part, with LF line ends, from at most `maxOctets` encoded octets. Never throws. */
export function decodeText(raw: Buffer, entity: Entity, maxOctets: number): string {
  const octets = decodeBody(raw, entity, maxOctets);
  return decodeCharset(octets, entity.parameters.get('charset') ?? '').replace(/\r\n?/g, '\n');
}
