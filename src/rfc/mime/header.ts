import { readOctets } from './charset.ts';

/** One header field (RFC 5322, section 2.2). */
export interface HeaderField {
  /** The name of the field in lower case. */
  readonly name: string;
  /** The value, with one space for each fold and without space at the ends. Decoded as UTF-8, or else as windows-1252. */
  readonly value: string;
  /** The value unfolded by RFC 5322, section 2.2.3, with the original space at folds. Only set if the result differs from `value`. */
  readonly unfolded?: string;
}

export interface Header {
  readonly fields: readonly HeaderField[];
  /** The position of the body, after the empty line. */
  readonly bodyStart: number;
}

/** Limits for reading headers. */
export interface HeaderLimits {
  /** Maximum size in octets. Fields that begin after the limit are omitted. */
  readonly octets: number;
  /** Maximum length of a value. Longer values are truncated. */
  readonly value: number;
}

const MAX_LINES = 10_000;
const MAX_FIELDS = 2_000;

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;

const FIELD_NAME = /^[\x21-\x39\x3b-\x7e]{1,200}[ \t]{0,8}:/;
/** The maximum length of a match of `FIELD_NAME`. */
const MAX_NAME = 209;
/** The first line of a message in an mbox file. */
const MAILBOX_LINE = /^>?From /;

/** @param field the name of the field in lower case */
export type DecodeLine = (octets: Uint8Array, field: string) => string;

export const HEADER_LIMITS: HeaderLimits = { octets: 262_144, value: 16_384 };

/**
 * Reads the header from `start` to `end` at most, in time proportional to its length. Never throws. Lines end with LF or CRLF. A line that
 * is not a field is skipped. If the first line is neither a field nor the `From ` line of an mbox file, there is no header. `bodyStart` is
 * correct even for a header that exceeds the limits.
 * @param decode decodes the lines; null: as UTF-8 or windows-1252
 */
export function readHeader(
  raw: Buffer,
  start: number,
  end: number,
  limits: HeaderLimits = HEADER_LIMITS,
  decode: DecodeLine | null = null,
): Header {
  const limit = Math.min(end, start + limits.octets);
  const fields: HeaderField[] = [];
  let name = '';
  let valueLines: string[] = [];
  let length = 0;
  const close = (): void => {
    if (name !== '' && fields.length < MAX_FIELDS) {
      const join = (lines: readonly string[], between: string): string =>
        lines.join(between).slice(0, limits.value).trim();
      const value = join(
        valueLines.map((line) => line.trim()),
        ' ',
      );
      const unfolded = valueLines.length === 1 ? value : join(valueLines, '');
      fields.push(unfolded === value ? { name, value } : { name, value, unfolded });
    }
    name = '';
    valueLines = [];
  };
  let at = start;
  for (let lines = 0; at < limit && lines < MAX_LINES; ) {
    const lineFeed = raw.indexOf(LF, at);
    const next = lineFeed === -1 || lineFeed >= limit ? limit : lineFeed + 1;
    const lineEnd = lineEndBefore(raw, at, next);
    if (lineEnd === at) {
      close();
      return { fields, bodyStart: next };
    }
    const isFolded = raw[at] === SPACE || raw[at] === TAB;
    if (isFolded && length >= limits.value) {
      at = next;
      continue;
    }
    lines += 1;
    const octets = raw.subarray(at, Math.min(lineEnd, at + limits.value));
    const line = readOctets(octets);
    if (isFolded && name !== '') {
      valueLines.push(decode === null ? line : decode(octets, name));
      length += line.length;
    } else {
      const match = FIELD_NAME.exec(line);
      close();
      if (match !== null) {
        name = match[0].slice(0, -1).trim().toLowerCase();
        valueLines.push(
          decode === null ? line.slice(match[0].length) : decode(octets.subarray(match[0].length), name),
        );
        length = line.length;
      } else if (fields.length === 0 && (at !== start || !MAILBOX_LINE.test(line))) {
        return { fields, bodyStart: start };
      }
    }
    at = next;
  }
  close();
  return { fields, bodyStart: at < end ? afterEmptyLine(raw, at, end) : at };
}

/** The same position as `bodyStart` from `readHeader`, for callers that do not need the fields. */
export function headerEnd(raw: Buffer, start = 0, end = raw.length): number {
  for (let at = start; at < end; ) {
    const lineFeed = raw.indexOf(LF, at);
    const next = lineFeed === -1 || lineFeed >= end ? end : lineFeed + 1;
    const lineEnd = lineEndBefore(raw, at, next);
    if (lineEnd === at) return next;
    const line = raw.toString('latin1', at, Math.min(lineEnd, at + MAX_NAME));
    if (FIELD_NAME.test(line)) return afterEmptyLine(raw, at, end);
    if (at !== start || !MAILBOX_LINE.test(line)) return start;
    at = next;
  }
  return end;
}

/** The position after the first empty line from `lineStart` on, or `end`. */
export function afterEmptyLine(raw: Buffer, lineStart: number, end: number): number {
  const range = raw.subarray(0, end);
  const from = Math.max(0, lineStart - 1);
  const crlf = range.indexOf('\n\r\n', from, 'latin1');
  // Search only up to the first match, so that each octet is read at most twice.
  const lf = (crlf === -1 ? range : range.subarray(0, crlf + 1)).indexOf('\n\n', from, 'latin1');
  if (lf !== -1) return lf + 2;
  return crlf === -1 ? end : crlf + 3;
}

/** The value of the first field with a name, or null. @param name in lower case */
export function fieldValue(fields: readonly HeaderField[], name: string): string | null {
  return fields.find((field) => field.name === name)?.value ?? null;
}

/** Like `fieldValue`, but with the original space at folds, as IMAP requires. */
export function unfoldedValue(fields: readonly HeaderField[], name: string): string | null {
  const field = fields.find((each) => each.name === name);
  return field?.unfolded ?? field?.value ?? null;
}

/** The position of the line end directly before `next`, but at least `start`. Returns `next` if there is no line end. */
export function lineEndBefore(raw: Buffer, start: number, next: number): number {
  let end = next;
  if (end > start && raw[end - 1] === LF) end--;
  if (end > start && raw[end - 1] === CR) end--;
  return end;
}
