/** The bytes of a part, read and decoded piece by piece: of a large one little is held at a time. */
import type { OpenBlob } from '../../../blobs/blobs.ts';
import { decodeCharset } from '../../../rfc/mime/index.ts';
import { decodeQuotedPrintable } from '../../../rfc/mime/quoted-printable.ts';

/** Where it lies in the message, and how it is written. */
export interface PartLocation {
  start: number;
  end: number;
  transferEncoding: string;
}

const STEP = 1_048_576;
const NOT_BASE64 = /[^A-Za-z0-9+/]/g;
const LF = 0x0a;
/** A line that is longer is no quoted-printable. */
const MAX_LINE = 65_536;

/** What is no base64 is passed over, as mail apps do: here it is read, and not stored. Ends early where the bytes are gone. */
export async function* partBytes(
  blob: OpenBlob,
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

/** The first so many, at least where there are as many. */
export async function firstBytes(blob: OpenBlob, place: PartLocation, octets: number): Promise<Buffer> {
  const taken: Buffer[] = [];
  let length = 0;
  // A line of base64 may be anything; twice as much has it.
  for await (const piece of partBytes(blob, {
    ...place,
    end: Math.min(place.end, place.start + octets * 2 + 1_024),
  })) {
    taken.push(piece);
    length += piece.length;
    if (length >= octets) break;
  }
  return Buffer.concat(taken).subarray(0, octets);
}

/** At most so many octets of it as text, with LF at the ends of lines. */
export async function partText(
  blob: OpenBlob,
  place: PartLocation & { charset: string },
  octets: number,
): Promise<string> {
  return decodeCharset(await firstBytes(blob, place, octets), place.charset).replaceAll(/\r\n?/g, '\n');
}

/** For people: how large it is when it is saved. */
export function decodedSize({ start, end, transferEncoding }: PartLocation): number {
  const octets = Math.max(0, end - start);
  // Four characters of each line of 76 are three octets, and its end is two.
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
