/**
 * The content of a message between DATA and its end, as a server reads it (RFC 5321, sections 4.1.1.4 and 4.5.2).
 *
 *   lineStart --'.'--> dot --CR--> dotCr --LF--> the end
 *       |               `--other: the dot was stuffing, and is dropped--> text
 *       `--other--> text --CR--> cr --LF--> lineStart
 *
 * Only CRLF ends a line, and only CRLF . CRLF ends the data. A server that lets a bare CR or LF pass hands its
 * neighbour a message in which the other may find an end, and commands after it (SMTP smuggling, CVE-2023-51764 and
 * its like). So both end the reading, with a fault.
 */
type State = 'lineStart' | 'dot' | 'dotCr' | 'text' | 'cr';

export type ReadData =
  /** The content without dot-stuffing. */
  | { data: Buffer }
  /** The content was read to its end and is lost: it is larger than allowed, or than memory is left for. */
  | { fault: 'too-large' | 'no-memory' }
  /** Nobody can know any more where the data ends. */
  | { fault: 'bare-line-end' };

export interface DataEnd {
  read: ReadData;
  /** The octets that arrived after the end. */
  rest: Buffer;
}

const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;
const FIRST_CAPACITY = 16 * 1024;

export class DataReader {
  readonly #maxOctets: number;
  readonly #reserve: (octets: number) => boolean;
  #state: State = 'lineStart';
  #content: Buffer = Buffer.alloc(0);
  #length = 0;
  #lost: 'too-large' | 'no-memory' | null = null;

  /**
   * @param maxOctets of the content
   * @param reserve is asked before so many more octets of memory are taken; false: there is no memory
   */
  constructor(maxOctets: number, reserve: (octets: number) => boolean) {
    this.#maxOctets = maxOctets;
    this.#reserve = reserve;
  }

  /** Null: the end has not come yet. */
  push(chunk: Buffer): DataEnd | null {
    if (!this.#grow(chunk.length)) this.#content = Buffer.alloc(0);
    for (let at = 0; at < chunk.length; at++) {
      const octet = chunk[at] as number;
      switch (this.#state) {
        case 'lineStart':
          if (octet === DOT) this.#state = 'dot';
          else if (!this.#text(octet)) return bareLineEnd;
          break;
        case 'dot':
          if (octet === CR) this.#state = 'dotCr';
          else if (!this.#text(octet)) return bareLineEnd;
          break;
        case 'dotCr':
          if (octet !== LF) return bareLineEnd;
          return { read: this.#finish(), rest: chunk.subarray(at + 1) };
        case 'text':
          if (!this.#text(octet)) return bareLineEnd;
          break;
        case 'cr':
          if (octet !== LF) return bareLineEnd;
          this.#keep(CR);
          this.#keep(LF);
          this.#state = 'lineStart';
          break;
      }
    }
    return null;
  }

  /** False for a bare LF. */
  #text(octet: number): boolean {
    if (octet === LF) return false;
    if (octet === CR) {
      this.#state = 'cr';
    } else {
      this.#keep(octet);
      this.#state = 'text';
    }
    return true;
  }

  #keep(octet: number): void {
    if (this.#lost !== null) return;
    if (this.#length === this.#maxOctets) this.#lost = 'too-large';
    else this.#content[this.#length++] = octet;
  }

  /** Grows by doubling: a Buffer for each chunk that arrives would let one octet a packet cost a hundred. */
  #grow(octets: number): boolean {
    // One octet more than arrives now: the CR of the last chunk is kept when its LF comes.
    const needed = Math.min(this.#length + octets + 1, this.#maxOctets);
    if (this.#lost !== null || needed <= this.#content.length) return this.#lost === null;
    const capacity = Math.min(Math.max(needed, this.#content.length * 2, FIRST_CAPACITY), this.#maxOctets);
    if (!this.#reserve(capacity - this.#content.length)) {
      this.#lost = 'no-memory';
      return false;
    }
    const larger = Buffer.allocUnsafe(capacity);
    this.#content.copy(larger, 0, 0, this.#length);
    this.#content = larger;
    return true;
  }

  #finish(): ReadData {
    return this.#lost === null ? { data: this.#content.subarray(0, this.#length) } : { fault: this.#lost };
  }
}

const bareLineEnd: DataEnd = { read: { fault: 'bare-line-end' }, rest: Buffer.alloc(0) };
