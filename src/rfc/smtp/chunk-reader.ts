/**
 * Reads a message in chunks (RFC 3030, section 2). BDAT declares the length of each chunk, so there is no dot-stuffing.
 *
 * BINARYMIME is not offered, so the content consists of lines that end with CRLF, as after DATA. A bare LF becomes CRLF, which is
 * safe because octets are counted and no line end can end the message. A line end may span two chunks. Attack: a bare CR that is
 * stored here and later sent with DATA may end the message for the next server, so it is a fault.
 */
import { ContentBuffer, type ReadContent } from './content-buffer.ts';

const CR = 0x0d;
const LF = 0x0a;

export class ChunkReader {
  readonly #content: ContentBuffer;
  #left = 0;
  #afterCr = false;
  #isBroken = false;

  /** @param limits see `ContentBuffer` */
  constructor(...limits: ConstructorParameters<typeof ContentBuffer>) {
    this.#content = new ContentBuffer(...limits);
  }

  /** Begins the next chunk, which has this many octets. */
  begin(octets: number): void {
    this.#left = octets;
  }

  /** Whether the current chunk is incomplete. */
  get isWithin(): boolean {
    return this.#left > 0;
  }

  /** @returns the octets after the end of the chunk */
  push(octets: Buffer): Buffer {
    const ofChunk = octets.subarray(0, this.#left);
    this.#left -= ofChunk.length;
    if (!this.#isBroken) this.#isBroken = !this.#keep(ofChunk);
    return octets.subarray(ofChunk.length);
  }

  /** The content so far. Every line ends with CRLF. */
  get read(): ReadContent {
    return this.#isBroken ? { fault: 'bare-line-end' } : this.#content.read;
  }

  /** The complete message, after its last chunk. */
  get readToEnd(): ReadContent {
    return this.#afterCr ? { fault: 'bare-line-end' } : this.read;
  }

  /** @returns false at a bare CR */
  #keep(octets: Buffer): boolean {
    // The extra octet is for a CR at the end of the previous chunk, which is stored when its LF arrives.
    this.#content.grow(octets.length + 1);
    for (let at = 0; at < octets.length; at++) {
      const octet = octets[at] as number;
      if (this.#afterCr && octet !== LF) return false;
      if (octet === LF) {
        if (!this.#afterCr) this.#content.grow(octets.length - at + 2);
        this.#content.keep(CR);
        this.#content.keep(LF);
        this.#afterCr = false;
      } else if (octet === CR) this.#afterCr = true;
      else this.#content.keep(octet);
    }
    return true;
  }
}
