/** Where sections of a message lie (RFC 9051, section 6.4.5.1), by the part numbers that its BODYSTRUCTURE promises. */
import { type Entity, lineEndBefore } from '../mime/index.ts';

/** `part` is [] for the message itself. */
interface Section {
  part: readonly number[];
  /** null: the whole part. */
  text: 'HEADER' | 'TEXT' | 'MIME' | { fields: readonly string[]; not: boolean } | null;
}

/** Octets of a message, from `start` up to and not including `end`. */
export interface SectionRange {
  readonly start: number;
  readonly end: number;
}

/** What is left of an entity when its header was read: numbers, so that it can be kept. */
export interface SectionPart extends SectionRange {
  readonly bodyStart: number;
  /** In lower case. */
  readonly transferEncoding: string;
  readonly isMultipart: boolean;
  readonly parts: readonly SectionPart[];
  readonly message: SectionPart | null;
}

const SPACE = 0x20;
const TAB = 0x09;
const CRLF = Buffer.from('\r\n');
const NOTHING = Buffer.alloc(0);
/** That may stand between the name of a field and its colon, and count (RFC 5322, section 4.5). */
const MAX_SPACES = 1_000;
/** What `bodyStructureText` says is in a multipart without parts. */
const EMPTY_PART: SectionPart = {
  start: 0,
  bodyStart: 0,
  end: 0,
  transferEncoding: '7bit',
  isMultipart: false,
  parts: [],
  message: null,
};

export function partOf({
  start,
  bodyStart,
  end,
  transferEncoding,
  type,
  parts,
  message,
}: Entity): SectionPart {
  const isMultipart = type.startsWith('multipart/');
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

/** @returns null: the message has no such part */
export function findPart(message: SectionPart, numbers: readonly number[]): SectionPart | null {
  let part = message;
  // A message that is no multipart has part 1, which is its body.
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
 * Of `HEADER.FIELDS` the whole header, which `selectFields` reads.
 * @returns null: the message has no such section, or no header where one is asked for
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

/** The fields of a header as they stand there, and the empty line behind it. @param names in any case */
export function selectFields(header: Buffer, names: readonly string[], isNot: boolean): Buffer {
  const selector = new FieldSelector(names, isNot);
  return Buffer.concat([...selector.push(header), ...selector.end()]);
}

/** As `selectFields`, for a header that comes in pieces: no more is held of it than the name of a field. */
export class FieldSelector {
  readonly #wanted: ReadonlySet<string>;
  readonly #isNot: boolean;
  /** Octets of a line that tell its name: none that is asked for is longer, with spaces in front of its colon. */
  readonly #nameOctets: number;
  /** The begin of a line whose name is not known yet. */
  #rest: Buffer = NOTHING;
  #isFirst = true;
  #isInLine = false;
  /** Of the field that the last line is of. */
  #isTaken = false;
  #hasEnd = false;

  /** @param names in any case */
  constructor(names: readonly string[], isNot: boolean) {
    this.#wanted = new Set(names.map((name) => name.toLowerCase()));
    this.#isNot = isNot;
    this.#nameOctets = MAX_SPACES + Math.max(0, ...names.map((name) => name.length));
  }

  push(piece: Buffer): Buffer[] {
    return this.#take(this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]), false);
  }

  /** What follows the last piece. */
  end(): Buffer[] {
    const taken = this.#take(this.#rest, true);
    if (!this.#hasEnd && !this.#isNot) taken.push(CRLF);
    return taken;
  }

  #take(octets: Buffer, isLast: boolean): Buffer[] {
    const text = octets.toString('latin1');
    const taken: Buffer[] = [];
    let from = 0;
    let wasTaken = this.#isTaken;
    let at = 0;
    while (at < octets.length) {
      const lineFeed = text.indexOf('\n', at);
      const next = lineFeed === -1 ? octets.length : lineFeed + 1;
      if (!this.#isInLine) {
        if (lineFeed === -1 && !isLast && this.#isOpen(text, at)) break;
        this.#begin(octets, text, at, next);
      }
      if (this.#isTaken !== wasTaken) {
        if (wasTaken) taken.push(octets.subarray(from, at));
        from = at;
        wasTaken = this.#isTaken;
      }
      this.#isInLine = lineFeed === -1;
      at = next;
    }
    if (wasTaken) taken.push(octets.subarray(from, at));
    this.#rest = octets.subarray(at);
    return taken;
  }

  /** Whether what has come of a line does not tell yet if it is taken. */
  #isOpen(text: string, at: number): boolean {
    if (!this.#isFirst && isSpace(text.charCodeAt(at))) return false;
    return text.length - at < this.#nameOctets && !text.includes(':', at);
  }

  #begin(octets: Buffer, text: string, at: number, next: number): void {
    const isFolded = !this.#isFirst && isSpace(text.charCodeAt(at));
    this.#isFirst = false;
    this.#hasEnd = lineEndBefore(octets, at, next) === at;
    if (this.#hasEnd) this.#isTaken = true;
    else if (!isFolded) {
      const name = fieldNameOf(text.slice(at, Math.min(next, at + this.#nameOctets)));
      this.#isTaken = this.#wanted.has(name) !== this.#isNot;
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
