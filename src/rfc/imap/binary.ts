/** Sections with their transfer encoding decoded (RFC 3516; RFC 9051, section 6.4.5). */
import { createDecoder, UnknownEncoding } from '../mime/index.ts';
import { type SectionPart, selectFields } from './sections.ts';

const CTE = ['content-transfer-encoding'];
const BINARY_FIELD = Buffer.from('Content-Transfer-Encoding: binary\r\n');
const CRLF = Buffer.from('\r\n');

/** Whether the part, or any part inside the part, is encoded. If not, the section is sent as a plain literal, as in Dovecot. */
export function isEncoded(part: SectionPart): boolean {
  if (part.isMultipart) return part.parts.some(isEncoded);
  return part.message === null ? hasEncoding(part) : isEncoded(part.message);
}

/**
 * Decodes the body of a part. In a multipart or a message, the Content-Transfer-Encoding of each encoded part becomes `binary`, as in
 * Dovecot. RFC 9051 does not specify this case.
 * @param raw the whole message @param isWhole whether to include the header of the part
 * @throws UnknownEncoding if a transfer encoding is unknown or its octets are invalid (RFC 3516, section 4.3)
 */
export function* decodingPart(raw: Buffer, part: SectionPart, isWhole: boolean): Generator<Buffer> {
  const isLeaf = !part.isMultipart && part.message === null;
  if (isWhole)
    yield isLeaf && hasEncoding(part) ? binaryHeader(raw, part) : raw.subarray(part.start, part.bodyStart);
  if (isLeaf) {
    const decode = createDecoder(part.transferEncoding);
    if (decode === null) throw new UnknownEncoding(part.transferEncoding);
    yield decode(raw.subarray(part.bodyStart, part.end), true);
    return;
  }
  let at = part.bodyStart;
  for (const inside of part.message === null ? part.parts : [part.message]) {
    if (inside.start < at) continue;
    yield raw.subarray(at, inside.start);
    yield* decodingPart(raw, inside, true);
    at = inside.end;
  }
  yield raw.subarray(at, part.end);
}

function hasEncoding({ transferEncoding }: SectionPart): boolean {
  return transferEncoding === 'base64' || transferEncoding === 'quoted-printable';
}

function binaryHeader(raw: Buffer, { start, bodyStart }: SectionPart): Buffer {
  const rest = selectFields(raw.subarray(start, bodyStart), CTE, true);
  return Buffer.concat([withoutEmptyLine(rest), BINARY_FIELD, CRLF]);
}

function withoutEmptyLine(header: Buffer): Buffer {
  const text = header.subarray(-3).toString('latin1');
  if (text.endsWith('\n\r\n') || text === '\r\n') return header.subarray(0, -2);
  return text.endsWith('\n\n') || text === '\n' ? header.subarray(0, -1) : header;
}
