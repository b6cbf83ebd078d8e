/**
 * The position of a header field, including the line ends of all its lines. Positions in octets allow fields to be removed without
 * being parsed.
 */
interface Field {
  /** The field's name in lower case. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly lines: number;
}

/**
 * A field name (RFC 5322, section 3.6.8). A line without a name is counted as a part of the field above it. Parsers disagree about such
 * lines, so a signature that covers a field with such a line must fail.
 */
const NAME = /^([\x21-\x39\x3b-\x7e]{1,200})[ \t]*:/;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;

/** The position after the empty line, or the length of the message if it has no empty line. Takes time proportional to the header. */
export function headerEnd(raw: Buffer): number {
  if (raw[0] === CR && raw[1] === LF) return 2;
  const end = raw.indexOf('\r\n\r\n');
  return end === -1 ? raw.length : end + 4;
}

/** Takes time proportional to the header. Never throws. */
export function readFields(raw: Buffer, bodyStart: number): Field[] {
  const fields: Field[] = [];
  let open: { name: string; start: number; lines: number } | null = null;
  let at = 0;
  while (at < bodyStart) {
    const lineFeed = raw.indexOf(LF, at);
    const next = lineFeed === -1 || lineFeed >= bodyStart ? bodyStart : lineFeed + 1;
    if (next - at === 2 && raw[at] === CR) break;
    const isFolded = raw[at] === SPACE || raw[at] === TAB;
    const name = isFolded ? undefined : NAME.exec(raw.toString('latin1', at, Math.min(next, at + 220)))?.[1];
    if (name === undefined) {
      if (open !== null) open.lines++;
    } else {
      if (open !== null) fields.push({ ...open, end: at });
      open = { name: name.toLowerCase(), start: at, lines: 1 };
    }
    at = next;
  }
  if (open !== null) fields.push({ ...open, end: at });
  return fields;
}
