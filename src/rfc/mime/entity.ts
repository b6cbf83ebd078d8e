import { type ParameterizedValue, readParameterizedValue } from './content-type.ts';
import { fieldValue, type HeaderField, lineEndBefore, MAX_HEADER_OCTETS, readHeader } from './header.ts';

/** A message or a part of one (RFC 2045, section 2.4): positions in the raw octets, nothing copied. */
export interface Entity {
  readonly fields: readonly HeaderField[];
  /** `type/subtype` in lower case; `text/plain` when the header does not say. */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** In lower case; `7bit` when the header does not say. */
  readonly transferEncoding: string;
  readonly start: number;
  readonly bodyStart: number;
  readonly end: number;
  /** The parts of a multipart, in order. Empty for anything else, and for a multipart without a single boundary. */
  readonly parts: readonly Entity[];
  /** A limit ended the reading before the end of the multipart. */
  readonly truncated: boolean;
}

const MAX_DEPTH = 10;
const MAX_PARTS = 250;
/** RFC 2046, section 5.1.1 allows 70; some programs write more. */
const MAX_BOUNDARY = 200;

const LF = 0x0a;
const CR = 0x0d;
const HYPHEN = 0x2d;
const SPACE = 0x20;
const TAB = 0x09;

/**
 * The structure of a message: its parts and where they lie. Never throws. Looks at each octet at most once a level,
 * goes at most 10 levels deep, gives at most 250 parts, and reads at most 256 KiB of headers in all. What is inside a
 * `message/rfc822` is not part of the structure: read it with `readEntity(raw, part.bodyStart, part.end)`.
 */
export function readEntity(raw: Buffer, start = 0, end: number = raw.length): Entity {
  return readPart(raw, start, end, 0, { parts: 0, headerOctets: MAX_HEADER_OCTETS }, TEXT_PLAIN);
}

const TEXT_PLAIN: ParameterizedValue = { value: 'text/plain', parameters: new Map() };
/** RFC 2046, section 5.1.5. */
const IN_DIGEST: ParameterizedValue = { value: 'message/rfc822', parameters: new Map() };

interface Budget {
  parts: number;
  /** How much of each limit is left. */
  headerOctets: number;
}

function readPart(
  raw: Buffer,
  start: number,
  end: number,
  depth: number,
  budget: Budget,
  implied: ParameterizedValue,
): Entity {
  const { fields, bodyStart } = readHeader(raw, start, end, budget.headerOctets);
  budget.headerOctets -= bodyStart - start;
  const declared = fieldValue(fields, 'content-type');
  const given = declared === null ? implied : readParameterizedValue(declared);
  const { value: type, parameters } = given.value.includes('/') ? given : { ...given, value: implied.value };
  const transferEncoding = readParameterizedValue(
    fieldValue(fields, 'content-transfer-encoding') ?? '7bit',
  ).value;
  const base = { fields, type, parameters, transferEncoding, start, bodyStart, end };
  const boundary = type.startsWith('multipart/') ? (parameters.get('boundary') ?? '').trimEnd() : '';
  if (boundary === '' || boundary.length > MAX_BOUNDARY) return { ...base, parts: [], truncated: false };
  if (depth === MAX_DEPTH) return { ...base, parts: [], truncated: true };
  const found = findParts(raw, bodyStart, end, boundary, MAX_PARTS - budget.parts);
  budget.parts += found.ranges.length;
  const inside = type === 'multipart/digest' ? IN_DIGEST : TEXT_PLAIN;
  const parts = found.ranges.map(([from, to]) => readPart(raw, from, to, depth + 1, budget, inside));
  return { ...base, parts, truncated: found.truncated };
}

interface Ranges {
  ranges: [start: number, end: number][];
  truncated: boolean;
}

/** The ranges between the delimiter lines of one boundary. A last part without a delimiter behind it goes to `end`. */
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

/** The begin of the next line, when nothing but space is left on this one; else -1. */
function blankUntilLineEnd(raw: Buffer, from: number, end: number): number {
  let at = from;
  while (at < end && (raw[at] === SPACE || raw[at] === TAB || raw[at] === CR)) at++;
  if (at >= end) return end;
  return raw[at] === LF ? at + 1 : -1;
}
