/** Finds sections of a message (RFC 9051, section 6.4.5.1) by the part numbers of its BODYSTRUCTURE. */
import { type Entity, isUnread, lineEndBefore } from '../mime/index.ts';

/** A section of a message. `part` is [] for the message itself. */
interface Section {
  part: readonly number[];
  /** The requested text of the part. Null for the whole part. */
  text: 'HEADER' | 'TEXT' | 'MIME' | { fields: readonly string[]; not: boolean } | null;
}

/** A range of octets of a message, from `start` up to but not including `end`. */
export interface SectionRange {
  readonly start: number;
  readonly end: number;
}

/** The positions of an entity (a message or a part) and of its parts. Has no header fields, so that it is small enough to be stored. */
export interface SectionPart extends SectionRange {
  readonly bodyStart: number;
  /** The transfer encoding in lower case. */
  readonly transferEncoding: string;
  readonly isMultipart: boolean;
  readonly parts: readonly SectionPart[];
  readonly message: SectionPart | null;
}

const SPACE = 0x20;
const TAB = 0x09;
const CRLF = Buffer.from('\r\n');
const NOTHING = Buffer.alloc(0);
/** The number of spaces that are accepted between a field name and the colon (RFC 5322, section 4.5). */
const MAX_SPACES = 1_000;
/** The part that `bodyStructureText` writes for a multipart without parts. */
const EMPTY_PART: SectionPart = {
  start: 0,
  bodyStart: 0,
  end: 0,
  transferEncoding: '7bit',
  isMultipart: false,
  parts: [],
  message: null,
};

export function partOf(entity: Entity): SectionPart {
  const { start, bodyStart, end, transferEncoding, type, parts, message } = entity;
  const isMultipart = type.startsWith('multipart/') && !isUnread(entity);
  return {
    start,
    bodyStart,
    end,
    transferEncoding,
    isMultipart,
    parts: isMultipart && parts.length === 0 ? [EMPTY_PART] : parts.map(partOf),
    message: message === null ? null : partOf(message),
  };
}

/** Finds a part by its part numbers. @returns null if the message has no such part */
export function findPart(message: SectionPart, numbers: readonly number[]): SectionPart | null {
  let part = message;
  // In a message that is not a multipart, part 1 is the body.
  let isMessage = true;
  for (const number of numbers) {
    if (!isMessage && part.message !== null) {
      part = part.message;
      isMessage = true;
    }
    if (part.isMultipart) {
      const inside = part.parts[number - 1];
      if (inside === undefined) return null;
      part = inside;
    } else if (!isMessage || number !== 1) return null;
    isMessage = false;
  }
  return part;
}

/**
 * Finds a section. For `HEADER.FIELDS`, returns the whole header, from which `selectFields` selects the fields.
 * @returns null if the message has no such section, or if the part has no message header
 */
export function findSection(message: SectionPart, { part: numbers, text }: Section): SectionRange | null {
  const part = findPart(message, numbers);
  if (part === null) return null;
  if (text === null) return numbers.length === 0 ? part : { start: part.bodyStart, end: part.end };
  if (text === 'MIME') return { start: part.start, end: part.bodyStart };
  const headed = numbers.length === 0 ? part : part.message;
  if (headed === null) return null;
  const { start, bodyStart, end } = headed;
  return text === 'TEXT' ? { start: bodyStart, end } : { start, end: bodyStart };
}

/**
 * Selects fields from a header. The result includes the empty line.
 * @param names field names, in any case
 * @param isNot whether to select all other fields
 */
export function selectFields(header: Buffer, names: readonly string[], isNot: boolean): Buffer {
  const selector = new FieldSelector(names, isNot);
  return Buffer.concat([...selector.push(header), ...selector.end()]);
}

/** Selects fields like `selectFields`, from a header in pieces. Buffers at most the name of a field. */
export class FieldSelector {
  readonly #names: ReadonlySet<string>;
  readonly #isNot: boolean;
  /** The maximum number of octets before the colon of a selected field: the longest name, and the spaces after the name. */
  readonly #nameOctets: number;
  /** The start of a line whose field name is incomplete. */
  #rest: Buffer = NOTHING;
  #isFirst = true;
  #isInLine = false;
  /** Whether the field of the last line is selected. */
  #isSelected = false;
  #hasEnd = false;

  /** @param names names of fields, in any case @param isNot whether to select all other fields instead */
  constructor(names: readonly string[], isNot: boolean) {
    this.#names = new Set(names.map((name) => name.toLowerCase()));
    this.#isNot = isNot;
    this.#nameOctets = MAX_SPACES + Math.max(0, ...names.map((name) => name.length));
  }

  push(piece: Buffer): Buffer[] {
    return this.#take(this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]), false);
  }

  /** Returns the octets that remain after the last piece. */
  end(): Buffer[] {
    const selected = this.#take(this.#rest, true);
    if (!this.#hasEnd && !this.#isNot) selected.push(CRLF);
    return selected;
  }

  #take(octets: Buffer, isLast: boolean): Buffer[] {
    const text = octets.toString('latin1');
    const selected: Buffer[] = [];
    let from = 0;
    let wasSelected = this.#isSelected;
    let at = 0;
    while (at < octets.length) {
      const lineFeed = text.indexOf('\n', at);
      const next = lineFeed === -1 ? octets.length : lineFeed + 1;
      if (!this.#isInLine) {
        if (lineFeed === -1 && !isLast && this.#isOpen(text, at)) break;
        this.#begin(octets, text, at, next);
      }
      if (this.#isSelected !== wasSelected) {
        if (wasSelected) selected.push(octets.subarray(from, at));
        from = at;
        wasSelected = this.#isSelected;
      }
      this.#isInLine = lineFeed === -1;
      at = next;
    }
    if (wasSelected) selected.push(octets.subarray(from, at));
    this.#rest = octets.subarray(at);
    return selected;
  }

  /** Whether the decision to select a line requires more octets of the line. */
  #isOpen(text: string, at: number): boolean {
    if (!this.#isFirst && isSpace(text.charCodeAt(at))) return false;
    return text.length - at < this.#nameOctets && !text.includes(':', at);
  }

  #begin(octets: Buffer, text: string, at: number, next: number): void {
    const isFolded = !this.#isFirst && isSpace(text.charCodeAt(at));
    this.#isFirst = false;
    this.#hasEnd = lineEndBefore(octets, at, next) === at;
    if (this.#hasEnd) this.#isSelected = true;
    else if (!isFolded) {
      const name = fieldNameOf(text.slice(at, Math.min(next, at + this.#nameOctets)));
      this.#isSelected = this.#names.has(name) !== this.#isNot;
    }
  }
}

function isSpace(code: number): boolean {
  return code === SPACE || code === TAB;
}

function fieldNameOf(line: string): string {
  return line
    .slice(0, Math.max(0, line.indexOf(':')))
    .trimEnd()
    .toLowerCase();
}
