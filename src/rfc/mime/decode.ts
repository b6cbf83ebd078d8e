import { isAscii, isUtf8 } from 'node:buffer';
import { decodeCharset, decodeStrictly, namesNoCharset, withoutCutCharacter } from './charset.ts';
import type { Entity } from './entity.ts';
import { charsetInHtml } from './html-charset.ts';
import { decodeQuotedPrintable } from './quoted-printable.ts';

/**
 * Decodes the transfer encoding of a leaf part (RFC 2045, section 6), from at most `maxOctets` encoded octets. Never throws. In base64,
 * invalid octets are skipped; in quoted-printable, invalid octets stay unchanged.
 */
export function decodeBody(
  raw: Buffer,
  entity: Pick<Entity, 'bodyStart' | 'end' | 'transferEncoding'>,
  maxOctets: number,
): Buffer {
  const end = Math.min(entity.end, entity.bodyStart + maxOctets);
  const body = raw.subarray(entity.bodyStart, end);
  if (entity.transferEncoding === 'base64') return decodeBase64(body.toString('latin1'));
  if (entity.transferEncoding === 'quoted-printable')
    return decodeQuotedPrintable(end < entity.end ? withoutCutEscape(body) : body);
  return body;
}

/**
 * Decodes base64 to its padding, and after it only what is base64 too, because some gateways encode a text in pieces. Other text after the
 * padding is skipped: it is the footer of a mailing list, and not encoded.
 */
function decodeBase64(text: string): Buffer {
  if (!/=\s*[A-Za-z0-9+/]/.test(text)) return Buffer.from(text, 'base64');
  const pieces = text.replace(/[\r\n]+/g, '').split(/=+/, MAX_PIECES + 1);
  const isPiece = (piece: string, at: number): boolean =>
    /^[A-Za-z0-9+/]*$/.test(piece) &&
    (at === pieces.length - 1 ? piece.length % 4 === 0 : piece.length % 4 > 1);
  if (pieces.length > MAX_PIECES || !pieces.every(isPiece)) return Buffer.from(text, 'base64');
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64')));
}

/** Attack: a text with padding behind every letter would become millions of pieces. */
const MAX_PIECES = 1_000;

/** Removes the incomplete escape at the end, which would make UTF-8 invalid. */
function withoutCutEscape(body: Buffer): Buffer {
  const escape = body.lastIndexOf(EQUALS);
  return escape !== -1 && escape >= body.length - 2 ? body.subarray(0, escape) : body;
}

const EQUALS = 0x3d;
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
  const isCut = entity.end - entity.bodyStart > maxOctets;
  const text = decodeOctets(isCut ? withoutCutCharacter(octets) : octets, {
    type: entity.type,
    charset: textCharset(entity),
  });
  return entity.type.startsWith('multipart/') ? withoutDelimiters(text, entity) : text;
}

/** The text of a multipart in which no parts are found, without lines that only separate parts. */
function withoutDelimiters(text: string, { parameters }: Entity): string {
  const delimiter = `--${parameters.get('boundary') ?? ''}`.trimEnd();
  if (delimiter === '--' || !text.includes(delimiter)) return text;
  const isDelimiter = (line: string): boolean =>
    line.startsWith(delimiter) && /^(?:--)?\s*$/.test(line.slice(delimiter.length));
  return text
    .split('\n')
    .filter((line) => !isDelimiter(line))
    .join('\n');
}

/**
 * Like `decodeText`, for text that is sent on, so that nothing is guessed or replaced.
 * @returns null if the charset is unknown, or if an octet is invalid in it; text without a charset must be UTF-8
 */
export function decodeWholeText(raw: Buffer, entity: Entity): string | null {
  const octets = decodeBody(raw, entity, entity.end - entity.bodyStart);
  return (
    decodeStrictly(octets, charsetOf(octets, entity.type, textCharset(entity)))?.replace(LINE_END, '\n') ??
    null
  );
}

/** Decodes the octets of a text, without its transfer encoding. Line ends become LF. Never throws. */
export function decodeOctets(
  octets: Uint8Array,
  { type, charset }: { type: string; charset: string },
): string {
  return decodeCharset(octets, charsetOf(octets, type, charset)).replace(LINE_END, '\n');
}

/** Line ends, also those that a program wrote as CR CR LF because it converted LF twice. */
const LINE_END = /\r{0,2}\n|\r/g;

function textCharset(entity: Entity): string {
  return entity.parameters.get('charset') ?? '';
}

/**
 * HTML can declare its own charset (RFC 6657, section 3). It is used if the header field names none. UTF-8 is recognized first, because
 * gateways and templates that convert a text often leave the declaration of the old charset in it.
 */
function charsetOf(octets: Uint8Array, type: string, charset: string): string {
  const isHtml = type === 'text/html' || type === 'application/xhtml+xml';
  if (!isHtml || !namesNoCharset(charset)) return charset;
  return isUtf8(octets) && !isAscii(octets) ? 'utf-8' : charsetInHtml(octets);
}
