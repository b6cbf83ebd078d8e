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
export interface Part extends SectionRange {
  readonly bodyStart: number;
  /** In lower case. */
  readonly transferEncoding: string;
  readonly isMultipart: boolean;
  readonly parts: readonly Part[];
  readonly message: Part | null;
}

const SPACE = 0x20;
const TAB = 0x09;
const CRLF = Buffer.from('\r\n');
/** What `bodyStructureText` says is in a multipart without parts. */
const EMPTY_PART: Part = {
  start: 0,
  bodyStart: 0,
  end: 0,
  transferEncoding: '7bit',
  isMultipart: false,
  parts: [],
  message: null,
};

export function partOf({ start, bodyStart, end, transferEncoding, type, parts, message }: Entity): Part {
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
export function findPart(message: Part, numbers: readonly number[]): Part | null {
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
export function findSection(message: Part, { part: numbers, text }: Section): SectionRange | null {
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
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  const text = header.toString('latin1');
  const taken: Buffer[] = [];
  let from = 0;
  let isTaken = false;
  let hasEnd = false;
  for (let at = 0; at < header.length; ) {
    const lineFeed = text.indexOf('\n', at);
    const next = lineFeed === -1 ? header.length : lineFeed + 1;
    const isFolded = at > 0 && (header[at] === SPACE || header[at] === TAB);
    hasEnd = lineEndBefore(header, at, next) === at;
    const takesLine: boolean =
      hasEnd || (isFolded ? isTaken : wanted.has(fieldNameOf(text.slice(at, next))) !== isNot);
    if (takesLine !== isTaken) {
      if (isTaken) taken.push(header.subarray(from, at));
      from = at;
      isTaken = takesLine;
    }
    at = next;
  }
  if (isTaken) taken.push(header.subarray(from));
  if (!hasEnd && !isNot) taken.push(CRLF);
  return Buffer.concat(taken);
}

function fieldNameOf(line: string): string {
  return line
    .slice(0, Math.max(0, line.indexOf(':')))
    .trimEnd()
    .toLowerCase();
}
