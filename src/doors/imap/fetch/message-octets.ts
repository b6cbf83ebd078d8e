import type { OpenBlob } from '../../../blobs/blobs.ts';
import type { ByteRange } from '../../../blobs/object-store.ts';
import type { MaybePromise } from '../../../model/maybe-promise.ts';
import type { Section } from '../../../rfc/imap/command.ts';
import { decodingPart, isEncoded } from '../../../rfc/imap/binary.ts';
import {
  FieldSelector,
  findPart,
  findSection,
  type SectionPart,
  selectFields,
} from '../../../rfc/imap/sections.ts';
import { afterEmptyLine, createDecoder, headerEnd, UnknownEncoding } from '../../../rfc/mime/index.ts';
import type { MessageParts } from './message-parts.ts';

/** How many octets to read first, to find the end of the header. Most headers are shorter. */
const HEAD_OCTETS = 65_536;
const PIECE = 262_144;
/** The size, in octets, of a piece that is scanned for header fields. If every line is a field, a piece takes two milliseconds. */
const SCANNED = 65_536;
/** Overlap of consecutive pieces, in octets. Without overlap, `\n\r\n` could be split between two pieces. */
const EMPTY_LINE = 3;

/** Octets to send as a literal. The number of octets is known before the octets are read. */
export interface OctetSource {
  readonly size: number;
  /** A piece is null if the bytes of the message were deleted in the meantime. */
  readonly pieces: readonly Buffer[] | AsyncIterable<Buffer | null>;
  /** Whether to send a `literal8`, because the octets were decoded and may contain NUL. */
  readonly isBinary: boolean;
}

/** `<offset.octets>` (RFC 9051, section 6.4.5); null for all octets. */
export type Partial = readonly [offset: number, octets: number] | null;

const NOTHING: OctetSource = { size: 0, pieces: [], isBinary: false };

/**
 * Reads the sections of one message, on demand. A message that is stored in a database row is read once, as a whole. A message that is an
 * object in blob storage is read piece by piece, so that slow clients occupy little memory.
 */
export class MessageOctets {
  readonly #blob: OpenBlob;
  readonly #name: string;
  readonly #parts: MessageParts;
  #raw: Buffer | null = null;
  #part: SectionPart | null = null;

  /** @param name identifies the bytes of the message across all projects */
  constructor(blob: OpenBlob, name: string, parts: MessageParts) {
    this.#blob = blob;
    this.#name = name;
    this.#parts = parts;
  }

  /**
   * Reads a section. The result is a promise only if an object or the part structure must be read. With a promise for every section, it
   * would take longer to fetch the headers of many messages at once.
   * @returns null if the bytes of the message are missing
   */
  section(section: Section, partial: Partial): MaybePromise<OctetSource | null> {
    const raw = section.part.length === 0 ? this.#small() : null;
    if (raw === null) return this.#readSection(section, partial);
    const { text } = section;
    if (text === null) return contentOf(raw, partial);
    const bodyStart = headerEnd(raw);
    if (text === 'TEXT') return contentOf(raw.subarray(bodyStart), partial);
    const header = raw.subarray(0, bodyStart);
    return contentOf(
      typeof text === 'string' ? header : selectFields(header, text.fields, text.not),
      partial,
    );
  }

  async #readSection(section: Section, partial: Partial): Promise<OctetSource | null> {
    const range = await this.#rangeOf(section);
    if (range === null) return null;
    if (range === 'nothing') return NOTHING;
    const { text } = section;
    if (text === null || typeof text === 'string') return this.#content(clip(range, partial));
    return this.#counted(() => this.#selecting(range, text), partial);
  }

  async *#selecting(
    range: ByteRange,
    { fields, not }: { fields: readonly string[]; not: boolean },
  ): AsyncGenerator<Buffer | null> {
    const selector = new FieldSelector(fields, not);
    for await (const piece of this.#reading(range, SCANNED)) {
      if (piece === null) return yield null;
      yield Buffer.concat(selector.push(piece));
    }
    yield Buffer.concat(selector.end());
  }

  /**
   * Decodes the transfer encoding of a part.
   * @returns null if the bytes of the message are missing
   * @throws UnknownEncoding if the transfer encoding is unknown. Also thrown for a multipart or message/rfc822 part of a large
   * message if the part contains encoded parts. RFC 9051, section 6.4.5 defines BINARY only for leaf parts
   */
  async decoded(numbers: readonly number[], partial: Partial): Promise<OctetSource | null> {
    const message = await this.#structure();
    if (message === null) return null;
    const part = findPart(message, numbers);
    if (part === null) return NOTHING;
    const raw = this.#small();
    if (raw !== null) {
      const octets = Buffer.concat([...decodingPart(raw, part, numbers.length === 0)]);
      return { ...contentOf(octets, partial), isBinary: isEncoded(part) };
    }
    if (numbers.length > 0 && !part.isMultipart && part.message === null)
      return this.#decodedLeaf(part, partial);
    if (isEncoded(part)) throw new UnknownEncoding('of a large message');
    return this.#content(
      clip({ start: numbers.length === 0 ? part.start : part.bodyStart, end: part.end }, partial),
    );
  }

  async #decodedLeaf(part: SectionPart, partial: Partial): Promise<OctetSource | null> {
    const range = { start: part.bodyStart, end: part.end };
    if (createDecoder(part.transferEncoding) === null) throw new UnknownEncoding(part.transferEncoding);
    if (!isEncoded(part)) return this.#content(clip(range, partial));
    const content = await this.#counted(() => this.#decoding(range, part.transferEncoding), partial);
    return content === null ? null : { ...content, isBinary: true };
  }

  /** Generates the octets twice, once for the size and once for the client, so that the octets are never in memory as a whole. */
  async #counted(make: () => AsyncGenerator<Buffer | null>, partial: Partial): Promise<OctetSource | null> {
    let size = 0;
    for await (const piece of make()) {
      if (piece === null) return null;
      size += piece.length;
    }
    const range = clip({ start: 0, end: size }, partial);
    return { size: range.end - range.start, pieces: cutting(make(), range), isBinary: false };
  }

  async *#decoding(range: ByteRange, encoding: string): AsyncGenerator<Buffer | null> {
    const decode = createDecoder(encoding);
    if (decode === null) return;
    for await (const piece of this.#reading(range)) yield piece === null ? null : decode(piece, false);
    yield decode(Buffer.alloc(0), true);
  }

  async #rangeOf(section: Section): Promise<ByteRange | 'nothing' | null> {
    const { size } = this.#blob;
    const { part, text } = section;
    if (part.length === 0 && text === null) return { start: 0, end: size };
    if (part.length === 0) {
      const bodyStart = await this.#headerEnd();
      if (bodyStart === null) return null;
      return text === 'TEXT' ? { start: bodyStart, end: size } : { start: 0, end: bodyStart };
    }
    const message = await this.#structure();
    return message === null ? null : (findSection(message, section) ?? 'nothing');
  }

  async #headerEnd(): Promise<number | null> {
    if (this.#part !== null) return this.#part.bodyStart;
    const { size } = this.#blob;
    const head = await this.#read({ start: 0, end: Math.min(HEAD_OCTETS, size) });
    if (head === null) return null;
    const end = headerEnd(head);
    if (end < head.length) return end;
    // The header may continue beyond the octets read so far.
    for (let at = head.length; at < size; at += PIECE) {
      const start = at - EMPTY_LINE;
      const piece = await this.#read({ start, end: Math.min(at + PIECE, size) });
      if (piece === null) return null;
      const after = afterEmptyLine(piece, 0, piece.length);
      if (after < piece.length) return start + after;
    }
    return size;
  }

  async #structure(): Promise<SectionPart | null> {
    if (this.#part === null) {
      const raw = this.#small();
      this.#part =
        raw === null ? await this.#parts.ofLarge(this.#name, this.#blob) : await this.#parts.ofSmall(raw);
    }
    return this.#part;
  }

  /** The whole message; null if the message is an object in blob storage. */
  #small(): Buffer | null {
    return (this.#raw ??= this.#blob.readNow());
  }

  async #read(range: ByteRange): Promise<Buffer | null> {
    const raw = this.#small();
    return raw === null ? this.#blob.read(range) : raw.subarray(range.start, range.end);
  }

  async #content(range: ByteRange): Promise<OctetSource | null> {
    const size = range.end - range.start;
    if (size > PIECE) return { size, pieces: this.#reading(range), isBinary: false };
    const octets = await this.#read(range);
    return octets === null ? null : contentOf(octets);
  }

  async *#reading({ start, end }: ByteRange, octets = PIECE): AsyncGenerator<Buffer | null> {
    for (let at = start; at < end; at += octets)
      yield this.#read({ start: at, end: Math.min(end, at + octets) });
  }
}

function clip({ start, end }: ByteRange, partial: Partial): ByteRange {
  if (partial === null) return { start, end };
  const from = Math.min(end, start + partial[0]);
  return { start: from, end: Math.min(end, from + partial[1]) };
}

function contentOf(octets: Buffer, partial: Partial = null): OctetSource {
  const { start, end } = clip({ start: 0, end: octets.length }, partial);
  return { size: end - start, pieces: [octets.subarray(start, end)], isBinary: false };
}

/** Yields the octets of a range, and stops reading after the range. */
async function* cutting(
  pieces: AsyncIterable<Buffer | null>,
  { start, end }: ByteRange,
): AsyncGenerator<Buffer | null> {
  let at = 0;
  for await (const piece of pieces) {
    if (piece === null) return yield null;
    const cut = piece.subarray(Math.max(0, start - at), Math.max(0, end - at));
    if (cut.length > 0) yield cut;
    at += piece.length;
    if (at >= end) return;
  }
}
