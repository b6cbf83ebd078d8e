import { isUtf8 } from 'node:buffer';
import { decodeCharset, decodeStrictly, namesNoCharset, readOctets, strictDecoder } from './charset.ts';
import { isUnlikeAscii } from './charset-labels.ts';
import { type ParameterizedValue, readParameterizedValue, readTransferEncoding } from './content-type.ts';
import {
  type DecodeLine,
  fieldValue,
  HEADER_LIMITS,
  type HeaderField,
  type HeaderLimits,
  lineEndBefore,
  readHeader,
} from './header.ts';

/** A message or a part of a message (RFC 2045, section 2.4), as positions in the raw octets, so that no octets are copied. */
export interface Entity {
  readonly fields: readonly HeaderField[];
  /** `type/subtype` in lower case. Default: `text/plain`. */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** Names of the parameters that declare a charset (RFC 2231, section 4). */
  readonly extended: ReadonlySet<string>;
  /** The transfer encoding in lower case. Default: `7bit`. */
  readonly transferEncoding: string;
  readonly start: number;
  readonly bodyStart: number;
  readonly end: number;
  /** The parts of a multipart, in order. Empty for other types, and for a multipart in which no boundary is found. */
  readonly parts: readonly Entity[];
  /** The message inside a `message/rfc822` or `message/global`, if `insideMessages` is set; otherwise null. */
  readonly message: Entity | null;
  /** True if a limit stopped the parser before the end of the multipart. */
  readonly truncated: boolean;
}

export interface EntityLimits {
  readonly depth: number;
  readonly parts: number;
  /** Limits for all headers together. */
  readonly header: HeaderLimits;
  /** Whether to also parse messages inside the message. */
  readonly insideMessages: boolean;
}

const DEFAULT_LIMITS: EntityLimits = { depth: 10, parts: 250, header: HEADER_LIMITS, insideMessages: false };

/**
 * Over all levels, at most `SEARCHES` times the size of the message plus `EXTRA_SEARCHED_OCTETS` octets are searched for boundaries, so
 * that small messages are searched at all levels. Attack: 40 MiB of hyphens inside 32 multiparts take half a minute. In honest mail, large
 * parts are two or three levels deep.
 */
const SEARCHES = 4;
const EXTRA_SEARCHED_OCTETS = 1_048_576;
/** The maximum length of a boundary. RFC 2046, section 5.1.1 allows 70, but some programs write longer boundaries. */
const MAX_BOUNDARY = 200;

const LF = 0x0a;
const CR = 0x0d;
const HYPHEN = 0x2d;
const SPACE = 0x20;
const TAB = 0x09;

/**
 * Parses the structure of a message: the parts and their positions. Never throws. Reads each octet a few times. The default limits are 10
 * levels, 250 parts and 256 KiB of headers in total, without the messages inside the message.
 */
export function readEntity(raw: Buffer, limits: EntityLimits = DEFAULT_LIMITS): Entity {
  const reader = new EntityReader(raw, limits, null);
  const entity = reader.read(0, raw.length, 0, TEXT_PLAIN);
  if (!reader.hasUndeclaredText) return entity;
  return new EntityReader(raw, limits, decoderOfLines(charsetIn(entity) ?? '')).read(
    0,
    raw.length,
    0,
    TEXT_PLAIN,
  );
}

/** The escape of ISO-2022-JP. */
const ESCAPE = 0x1b;

/**
 * Old mail programs write headers in the charset of the body, without declaring it. In fields that have a syntax, the charset is used only
 * if all ASCII octets remain characters. Attack: an address in which the charset hides the `@`, so that this parser reads another sender
 * than the programs that check DKIM and SPF.
 */
function decoderOfLines(charset: string): DecodeLine {
  const inCharset = strictDecoder(charset);
  return (octets, field) => decodeLine(octets, field, inCharset) ?? guessLine(octets, field);
}

/**
 * @param inCharset decodes in the charset of the message; null if the message names none
 * @returns null if the line can only be guessed
 */
function decodeLine(
  octets: Uint8Array,
  field: string,
  inCharset: ReturnType<typeof strictDecoder>,
): string | null {
  const isText = field === 'subject';
  if (!isUtf8(octets)) {
    const decoded = inCharset?.(octets) ?? null;
    const isSound = decoded === null || isText || asciiOf(decoded) === asciiOf(readOctets(octets));
    return isSound ? decoded : null;
  }
  const decoded = decodeStrictly(octets, '');
  if (decoded !== null || !isText) return decoded;
  // Japanese is recognized by its escapes, whatever the charset. It is not guessed if the message names ISO-2022-JP.
  const guessed = guessLine(octets, field);
  return inCharset?.(octets) === guessed ? guessed : null;
}

function guessLine(octets: Uint8Array, field: string): string {
  return field === 'subject' && isUtf8(octets) ? decodeCharset(octets, '') : readOctets(octets);
}

function asciiOf(text: string): string {
  return text.replace(/[^\x00-\x7f]/g, '');
}

/** The first charset that the message or one of its parts names, and in which a header can be written. Null if no part names one. */
function charsetIn(entity: Entity): string | null {
  const named = entity.parameters.get('charset') ?? '';
  if (!namesNoCharset(named) && !isUnlikeAscii(named)) return named;
  for (const part of entity.message === null ? entity.parts : [entity.message]) {
    const found = charsetIn(part);
    if (found !== null) return found;
  }
  return null;
}

const TEXT_PLAIN: ParameterizedValue = { value: 'text/plain', parameters: new Map(), extended: new Set() };
/** The default type of parts in a digest (RFC 2046, section 5.1.5). */
const IN_DIGEST: ParameterizedValue = { ...TEXT_PLAIN, value: 'message/rfc822' };

class EntityReader {
  readonly #raw: Buffer;
  readonly #limits: EntityLimits;
  readonly #decode: DecodeLine | null;
  /** Whether a header has octets that are not UTF-8, or an escape sequence. */
  hasUndeclaredText = false;
  /** How many more parts may be read. */
  #parts: number;
  /** How many more octets of headers may be read. */
  #headerOctets: number;
  /** How many more octets may be searched for boundaries. */
  #toSearch: number;

  constructor(raw: Buffer, limits: EntityLimits, decode: DecodeLine | null) {
    this.#raw = raw;
    this.#decode = decode;
    this.#limits = limits;
    this.#parts = limits.parts;
    this.#headerOctets = limits.header.octets;
    this.#toSearch = raw.length * SEARCHES + EXTRA_SEARCHED_OCTETS;
  }

  read(start: number, end: number, depth: number, implied: ParameterizedValue): Entity {
    const header = { octets: this.#headerOctets, value: this.#limits.header.value };
    const { fields, bodyStart } = readHeader(this.#raw, start, end, header, this.#decode);
    const octets = this.#raw.subarray(start, bodyStart);
    this.hasUndeclaredText ||= !isUtf8(octets) || octets.includes(ESCAPE);
    this.#headerOctets = Math.max(0, this.#headerOctets - (bodyStart - start));
    const declared = fieldValue(fields, 'content-type');
    const given = declared === null ? implied : readParameterizedValue(declared);
    const {
      value: type,
      parameters,
      extended,
    } = given.value.includes('/') ? given : { ...given, value: implied.value };
    const transferEncoding = readTransferEncoding(fieldValue(fields, 'content-transfer-encoding') ?? '7bit');
    const base = {
      fields,
      type,
      parameters,
      extended,
      transferEncoding,
      start,
      bodyStart,
      end,
      message: null,
    };
    if (this.#limits.insideMessages && MESSAGE_TYPES.has(type)) {
      const isLeft = depth < this.#limits.depth && this.#parts > 0;
      if (!isLeft) return { ...base, parts: [], truncated: true };
      this.#parts -= 1;
      const message = this.read(bodyStart, end, depth + 1, TEXT_PLAIN);
      return { ...base, parts: [], message, truncated: false };
    }
    const boundary = type.startsWith('multipart/') ? (parameters.get('boundary') ?? '').trimEnd() : '';
    if (boundary === '' || boundary.length > MAX_BOUNDARY) return { ...base, parts: [], truncated: false };
    this.#toSearch -= end - bodyStart;
    if (depth === this.#limits.depth || this.#toSearch < 0) return { ...base, parts: [], truncated: true };
    const found = findParts(this.#raw, bodyStart, end, boundary, this.#parts);
    this.#parts -= found.ranges.length;
    const inside = type === 'multipart/digest' ? IN_DIGEST : TEXT_PLAIN;
    const parts = found.ranges.map(([from, to]) => this.read(from, to, depth + 1, inside));
    return { ...base, parts, truncated: found.truncated };
  }
}

/** The types of parts that contain a message (RFC 2046, section 5.2.1; RFC 6532, section 3.7). */
const MESSAGE_TYPES = new Set(['message/rfc822', 'message/global']);

/**
 * Whether a limit stopped the parser before it read the parts of a multipart, or the message in a `message/rfc822`. The octets of the entity
 * are then only known as a whole.
 */
export function isUnread({ type, parts, message, truncated }: Entity): boolean {
  return (truncated && parts.length === 0) || (message === null && MESSAGE_TYPES.has(type));
}

interface Ranges {
  ranges: [start: number, end: number][];
  truncated: boolean;
}

/** The ranges between the delimiter lines of a boundary. Without a closing delimiter, the last part extends to `end`. */
function findParts(raw: Buffer, start: number, end: number, boundary: string, most: number): Ranges {
  const range = raw.subarray(0, end);
  const delimiter = Buffer.from(`--${boundary}`, 'utf8');
  const ranges: [number, number][] = [];
  let partStart = -1;
  let at = start;
  while (at < end) {
    const found = range.indexOf(delimiter, at);
    if (found === -1) break;
    at = found + delimiter.length;
    if (found > start && raw[found - 1] !== LF) continue;
    const isClosing = raw[at] === HYPHEN && raw[at + 1] === HYPHEN;
    const lineEnd = blankUntilLineEnd(raw, isClosing ? at + 2 : at, end);
    if (lineEnd === -1) continue;
    // The line end before a delimiter belongs to the delimiter (RFC 2046, section 5.1.1).
    if (partStart !== -1) ranges.push([partStart, lineEndBefore(raw, partStart, found)]);
    if (isClosing) return { ranges, truncated: false };
    if (ranges.length >= most) return { ranges, truncated: true };
    partStart = lineEnd;
    at = lineEnd;
  }
  if (partStart !== -1) ranges.push([partStart, end]);
  return { ranges, truncated: false };
}

/** The start of the next line if the rest of the line is blank; otherwise -1. */
function blankUntilLineEnd(raw: Buffer, from: number, end: number): number {
  let at = from;
  while (at < end && (raw[at] === SPACE || raw[at] === TAB || raw[at] === CR)) at++;
  if (at >= end) return end;
  return raw[at] === LF ? at + 1 : -1;
}
