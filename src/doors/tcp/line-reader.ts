/**
 * Lines of commands (RFC 5321, section 2.3.8). Only CRLF ends a line. A server that also ended lines at a bare CR or LF would
 * read commands where servers before it saw none (SMTP smuggling).
 */
export type ReadLine =
  /** Without its CRLF; U+FFFD stands for what is not UTF-8. */
  { line: string } | LineFault;

/** Without its CRLF. */
export type ReadOctets = { octets: Buffer } | LineFault;

interface LineFault {
  fault: 'too-long' | 'bare-line-end';
}

const CR = 0x0d;
const LF = 0x0a;
const NOTHING = Buffer.alloc(0);

export class LineReader {
  /** Of a line with its CRLF. */
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

  /** The next line; null when it is not there yet. After a fault nothing that follows can be trusted. */
  next(): ReadLine | null {
    const read = this.nextOctets();
    return read === null || 'fault' in read ? read : { line: read.octets.toString() };
  }

  /** As `next`, for lines that may hold any octets. */
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

  /** Whether anything has arrived that is not read yet. */
  get hasMore(): boolean {
    return this.#at < this.#input.length;
  }

  /** What has arrived and is not read yet. It is forgotten here. */
  takeRest(): Buffer {
    const rest = this.#input.subarray(this.#at);
    this.#input = NOTHING;
    this.#at = 0;
    return rest;
  }
}
