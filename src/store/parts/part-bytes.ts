/** Reads and decodes the bytes of a part in pieces, so that a large part does not have to fit in memory. */
import type { OpenBlob } from '../../blobs/blobs.ts';
import { decodeOctets, withoutCutCharacter } from '../../rfc/mime/index.ts';
import { decodeQuotedPrintable } from '../../rfc/mime/quoted-printable.ts';

/** The position of a part in the message, and its encoding. */
export interface PartLocation {
  start: number;
  end: number;
  transferEncoding: string;
}

const STEP = 1_048_576;
const NOT_BASE64 = /[^A-Za-z0-9+/]/g;
const LF = 0x0a;
/** The maximum length of a line. A longer line is not quoted-printable. */
const MAX_LINE = 65_536;

/**
 * Skips characters that are not base64, like mail apps, because the result is only shown and not stored. Ends early if the blob no longer
 * exists.
 */
export async function* partBytes(
  blob: Pick<OpenBlob, 'read'>,
  { start, end, transferEncoding }: PartLocation,
): AsyncGenerator<Buffer, void, void> {
  const decode = decoderOf(transferEncoding);
  for (let at = start; at < end; at += STEP) {
    const piece = await blob.read({ start: at, end: Math.min(end, at + STEP) });
    if (piece === null) return;
    const decoded = decode(piece, at + STEP >= end);
    if (decoded.length > 0) yield decoded;
  }
}

/** The first `octets` of the decoded part, or the whole part if the part is shorter. */
export async function firstBytes(blob: OpenBlob, location: PartLocation, octets: number): Promise<Buffer> {
  const taken: Buffer[] = [];
  let length = 0;
  // Twice as many encoded octets are enough for base64, regardless of the line length.
  for await (const piece of partBytes(blob, {
    ...location,
    end: Math.min(location.end, location.start + octets * 2 + 1_024),
  })) {
    taken.push(piece);
    length += piece.length;
    if (length >= octets) break;
  }
  return Buffer.concat(taken).subarray(0, octets);
}

/** The first `octets` of the part as text, with LF as line end. */
export async function partText(
  blob: OpenBlob,
  part: PartLocation & { type: string; charset: string },
  octets: number,
): Promise<string> {
  const first = await firstBytes(blob, part, octets);
  return decodeOctets(first.length < octets ? first : withoutCutCharacter(first), part);
}

/** The approximate size of the part when saved, for display. */
export function decodedSize({ start, end, transferEncoding }: PartLocation): number {
  const octets = Math.max(0, end - start);
  // A line of 76 characters and its line end (78 octets) encode 57 octets.
  return transferEncoding === 'base64' ? Math.floor((octets * 57) / 78) : octets;
}

function decoderOf(transferEncoding: string): (piece: Buffer, isLast: boolean) => Buffer {
  if (transferEncoding === 'base64') {
    let rest = '';
    return (piece, isLast) => {
      const text = rest + piece.toString('latin1').replace(NOT_BASE64, '');
      const whole = isLast ? text.length : text.length - (text.length % 4);
      rest = text.slice(whole);
      return Buffer.from(text.slice(0, whole), 'base64');
    };
  }
  if (transferEncoding === 'quoted-printable') {
    let rest: Buffer = Buffer.alloc(0);
    return (piece, isLast) => {
      const octets = Buffer.concat([rest, piece]);
      const lineEnd = octets.lastIndexOf(LF) + 1;
      const end = isLast || octets.length - lineEnd > MAX_LINE ? octets.length : lineEnd;
      rest = octets.subarray(end);
      return decodeQuotedPrintable(octets.subarray(0, end));
    };
  }
  return (piece) => piece;
}
