/**
 * A command line (RFC 5321, section 2.3.8). Only CRLF ends a line. Attack: SMTP smuggling. A server that also ends lines at a bare CR or
 * LF reads commands in text that earlier servers on the route passed on as content.
 */
export type ReadLine =
  /** The line without its CRLF. U+FFFD replaces invalid UTF-8. */
  { line: string } | LineFault;

/** A line of any octets, without CRLF. */
export type ReadOctets = { octets: Buffer } | LineFault;

interface LineFault {
  fault: 'too-long' | 'bare-line-end';
}

const CR = 0x0d;
const LF = 0x0a;
const NOTHING = Buffer.alloc(0);

export class LineReader {
  /** Maximum length of a line, including its CRLF. */
  maxOctets: number;
  #input: Buffer = NOTHING;
  #at = 0;

  constructor(maxOctets: number) {
    this.maxOctets = maxOctets;
  }

  push(chunk: Buffer): void {
    const rest = this.takeRest();
    this.#input = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
  }

  /** The next line. Null if the end of the line has not arrived yet. After a line fault, the rest of the input cannot be trusted. */
  next(): ReadLine | null {
    const read = this.nextOctets();
    return read === null || 'fault' in read ? read : { line: read.octets.toString() };
  }

  /** Like `next`, for lines that may contain any octets. */
  nextOctets(): ReadOctets | null {
    const end = this.#input.indexOf(LF, this.#at);
    const octets = (end === -1 ? this.#input.length : end + 1) - this.#at;
    if (octets > this.maxOctets) return { fault: 'too-long' };
    if (end === -1) return null;
    const line = this.#input.subarray(this.#at, end - 1);
    if (octets < 2 || this.#input[end - 1] !== CR || line.includes(CR)) return { fault: 'bare-line-end' };
    this.#at = end + 1;
    return { octets: line };
  }

  get hasMore(): boolean {
    return this.#at < this.#input.length;
  }

  /** Removes and returns the unread input. */
  takeRest(): Buffer {
    const rest = this.#input.subarray(this.#at);
    this.#input = NOTHING;
    this.#at = 0;
    return rest;
  }
}
